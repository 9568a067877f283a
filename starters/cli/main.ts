import { CommanderError } from 'commander';
import { reasonOf } from './cli-error.ts';
import { createProgram } from './program.ts';

/** It did not work. */
const FAILED = 1;
/** It was not understood. */
const USAGE = 2;

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  // commander has said what was wrong.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else {
    console.error(`millwright: ${reasonOf(error)}`);
    process.exitCode = FAILED;
  }
}
