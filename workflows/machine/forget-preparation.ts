import { emptyAnew, forgetEmptyingOfDeletion } from './emptying.ts';
import { forgetSettled } from './memory.ts';
import type { Pass } from './pass.ts';
import { forgetTurn } from './turn.ts';

/**
 * How far the preparation of a deletion had come counts for no later one.
 *
 * @param isMaintained the machine is in maintenance: what was drained for that stays drained, and its turn is taken
 */
export function forgetPreparation(pass: Pass, isMaintained: boolean): void {
  forgetSettled(pass.memory);
  if (isMaintained) forgetEmptyingOfDeletion(pass);
  else {
    emptyAnew(pass);
    forgetTurn(pass);
  }
}
