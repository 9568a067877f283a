import { InvalidArgumentError, type Command } from 'commander';
import { seconds } from '../../flags/flag-values.ts';

/** Of `status`: a rollout takes its time, one that hangs does not end. */
const TIMEOUT_SECONDS = 1800;

/** The words of `kubectl rollout`, for MachineDeployments. */
export function addRollout(program: Command): void {
  const rollout = program.command('rollout').description('follow and steer the rollouts of MachineDeployments');
  add(
    'status',
    'say how far the rollout is, until it is done; on a terminal with its old and new machines, what is waited for, and an estimate. Ctrl-C ends this and not the rollout',
  )
    .option('--no-watch', 'say it once')
    .option('--timeout <seconds>', 'how long to wait', seconds, TIMEOUT_SECONDS)
    .action(async (name: string, _options, command: Command) =>
      (await import('./status.ts')).rolloutStatus(name, command.optsWithGlobals()),
    );
  add('history', 'the templates that it had, each with its MachineSet')
    .option('--revision <number>', 'show the template of this one', revision)
    .action(async (name: string, _options, command: Command) =>
      (await import('./history.ts')).rolloutHistory(name, command.optsWithGlobals()),
    );
  add('pause', 'make and take no machines for another template').action(
    async (name: string, _options, command: Command) =>
      (await import('./steer.ts')).pauseRollout(name, command.optsWithGlobals()),
  );
  add('resume', 'go on with a paused rollout, or end a pause that is one of its steps').action(
    async (name: string, _options, command: Command) =>
      (await import('./steer.ts')).resumeRollout(name, command.optsWithGlobals()),
  );
  add('approve', 'approve the step that a rollout waits at').action(async (name: string, _options, command: Command) =>
    (await import('./steer-steps.ts')).approveRollout(name, command.optsWithGlobals()),
  );
  add('undo', 'go back to an earlier template')
    .option('--to-revision <number>', 'which one, as history tells it (default: the one before)', revision)
    .action(async (name: string, _options, command: Command) =>
      (await import('./steer.ts')).undoRollout(name, command.optsWithGlobals()),
    );
  add('restart', 'replace all machines by new ones of the same template').action(
    async (name: string, _options, command: Command) =>
      (await import('./steer.ts')).restartRollout(name, command.optsWithGlobals()),
  );

  rollout
    .command('plan')
    .description(
      'say what `kubectl apply` of a file would come to, also of a MachineDeployment that is not there yet: of each machine whether it is replaced, changed in place or untouched, how many are created and which MachineSets adopted, how many machines there may be at a time, and which PodDisruptionBudgets allow no eviction now. Changes nothing',
    )
    .requiredOption(
      '-f, --filename <file>',
      'the MachineDeployment as it is to be, in YAML or JSON; - for standard input',
    )
    .action(async (_options, command: Command) => (await import('./plan.ts')).rolloutPlan(command.optsWithGlobals()));

  function add(name: string, what: string): Command {
    return rollout.command(name).argument('<name>', 'name of the MachineDeployment').description(what);
  }
}

function revision(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It has to be the number of a revision.');
  return Number(text);
}
