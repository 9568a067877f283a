import { CommanderError } from 'commander';
import { CliError, reasonOf } from './cli-error.ts';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';

// Whoever reads our output may have enough of it, as `head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  // commander has said what was wrong.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else {
    console.error(`millwright: ${reasonOf(error).replaceAll(/\s*\n\s*/g, ' ')}`);
    process.exitCode = error instanceof CliError ? error.exitCode : EXIT.failed;
  }
}
