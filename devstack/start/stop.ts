/** The part of `npm stop` that may use TypeScript; stop.mjs starts it. */

import { defaultStateDir } from '../stack/stack-files.ts';
import { stopStack } from '../stack/stop-stack.ts';
import { parseStopArguments } from './start-options.mjs';

const { stateDir = defaultStateDir } = parseStopArguments(process.argv.slice(2));
const stopped = await stopStack(stateDir);
console.log(stopped.length === 0 ? `No stack runs in ${stateDir}.` : `Stopped ${stopped.join(', ')}.`);
