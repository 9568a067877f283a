/** `npm start`: from a fresh clone to the running stack. Until the packages are installed, Node's built-ins only. */

import { fileURLToPath } from 'node:url';
import { continueAs, ensureDependencies } from './bootstrap.mjs';
import { requirePrerequisites } from './prerequisites.mjs';
import { parseStartArguments, START_HELP, WrongArguments } from './start-options.mjs';

const args = process.argv.slice(2);
try {
  const { help, external } = parseStartArguments(args);
  if (help) {
    process.stdout.write(START_HELP);
  } else {
    // Go and Python are for the servers, of which --external needs none.
    if (external === undefined) await requirePrerequisites();
    await ensureDependencies();
    continueAs(fileURLToPath(new URL('start.ts', import.meta.url)), args);
  }
} catch (error) {
  if (!(error instanceof WrongArguments)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
