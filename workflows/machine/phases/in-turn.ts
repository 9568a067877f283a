import type { Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';
import { takeTurn } from '../turn.ts';

/** Machines of a control plane are emptied and ended one at a time, while enough of the others are Ready. */
export const inTurn = (pass: Pass): Promise<Answer> => takeTurn(pass, 'drain');

/** The drain and the hooks may have taken long: how the others are counts again. */
export const stillInTurn = (pass: Pass): Promise<Answer> => takeTurn(pass, 'end');
