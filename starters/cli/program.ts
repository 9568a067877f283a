import { Command } from 'commander';
import { addCompletion } from './commands/completion.ts';
import { addDoctor } from './commands/doctor.ts';
import { addGlobalFlags } from './commands/global-flags.ts';
import { addInstall } from './commands/install.ts';
import { addMachine } from './commands/machine.ts';
import { addMachineSet } from './commands/machineset.ts';
import { addResume } from './commands/resume.ts';
import { addTree } from './commands/tree.ts';
import { addWatcher } from './commands/watcher.ts';
import { addWorker } from './commands/worker.ts';
import { EXIT_CODES } from './exit-codes.ts';

/**
 * The command line. Each command is a file of `commands/`, which says how it is called and imports what it does when it is
 * called: so `--help` loads nothing but this.
 */
export function createProgram(): Command {
  const program = addGlobalFlags(
    new Command('millwright').description(
      'Durable machine lifecycle for Kubernetes: every machine is a Temporal workflow.',
    ),
  )
    .addHelpText('after', `\nExit codes:\n${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n')}`)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  addInstall(program);
  addResume(program);
  addWorker(program);
  addWatcher(program);
  addDoctor(program);
  addMachine(program);
  addMachineSet(program);
  addTree(program);
  addCompletion(program);
  return program;
}
