import { Command } from 'commander';
import { addCompletion } from './commands/completion/completion-flags.ts';
import { addDev } from './commands/dev/dev-flags.ts';
import { addDoctor } from './commands/doctor/doctor-flags.ts';
import { addGlobalFlags } from './flags/global-flags.ts';
import { addHealthCheck } from './commands/healthcheck/healthcheck-flags.ts';
import { addInstall } from './commands/install/install-flags.ts';
import { addMachine } from './commands/machine/machine-flags.ts';
import { addMachineDeployment } from './commands/machinedeployment/machinedeployment-flags.ts';
import { addMachineSet } from './commands/machineset/machineset-flags.ts';
import { addResume } from './commands/resume/resume-flags.ts';
import { addRollout } from './commands/rollout/rollout-flags.ts';
import { addTree } from './commands/tree/tree-flags.ts';
import { addWatcher } from './commands/watcher/watcher-flags.ts';
import { addWorker } from './commands/worker/worker-flags.ts';
import { EXIT_CODES } from './exit-codes.ts';

/**
 * The command line. Each command is a folder of `commands/`: its `*-flags.ts` say how it is called, and import what it does,
 * the file beside, when it is called. So `--help` loads nothing but those.
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
  addMachineDeployment(program);
  addRollout(program);
  addHealthCheck(program);
  addTree(program);
  addDev(program);
  addCompletion(program);
  return program;
}
