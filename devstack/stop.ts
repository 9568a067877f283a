/** The part of `npm stop` that may use TypeScript; stop.mjs starts it. */

import { parseStopArguments } from './start-options.mjs';
import { defaultStateDir } from './stack-files.ts';
import { stopStack } from './stop-stack.ts';

const { stateDir = defaultStateDir } = parseStopArguments(process.argv.slice(2));
const stopped = await stopStack(stateDir);
console.log(stopped.length === 0 ? `No stack runs in ${stateDir}.` : `Stopped ${stopped.join(', ')}.`);
