/** `npm stop`: ends the stack of `npm start`. */

import { fileURLToPath } from 'node:url';
import { continueAs, ensureDependencies, nodeForTypeScript } from './bootstrap.mjs';
import { parseStopArguments, STOP_HELP, WrongArguments } from './start-options.mjs';

const args = process.argv.slice(2);
try {
  if (parseStopArguments(args).help) {
    process.stdout.write(STOP_HELP);
  } else {
    // A stack that runs uses the packages as they are: they are left alone as long as there is a Node to go on with.
    if (!canContinue()) await ensureDependencies();
    continueAs(fileURLToPath(new URL('stop.ts', import.meta.url)), args);
  }
} catch (error) {
  if (!(error instanceof WrongArguments)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

function canContinue() {
  try {
    return nodeForTypeScript() !== '';
  } catch {
    return false;
  }
}
