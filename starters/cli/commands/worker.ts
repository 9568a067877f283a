import { Option, type Command } from 'commander';
import { WORKER_ROLES } from '../../../workers/worker-role.ts';
import { seconds } from './flag-values.ts';
import { addProcessFlags } from './process-flags.ts';

export function addWorker(program: Command): void {
  addProcessFlags(program.command('worker').description('run the workflows and activities'))
    .addOption(new Option('--role <role>', 'which tasks it takes (default: all)').choices([...WORKER_ROLES]))
    .addOption(new Option('--simulated-endpoint <url>', 'the simulated cloud').env('MILLWRIGHT_SIMULATED_ENDPOINT'))
    .option('--creation-timeout <seconds>', 'a launched machine whose Node has not joined by then is Failed', seconds)
    .option('--consistency-window <seconds>', 'how long the cloud may take to show what it did', seconds)
    .option('--call-timeout <seconds>', 'time limit of one launch or terminate activity', seconds)
    .option('--heartbeat <seconds>', "silence after which an activity's worker counts as dead", seconds)
    .option('--gone-window <seconds>', 'an instance absent in three looks that span this is gone', seconds)
    .option('--repeat-limit <seconds>', 'a launch older than this is settled by look-ups, not repeated', seconds)
    .option('--resync <seconds>', 'between two looks at everything of a machine that nothing woke', seconds)
    .option('--settle-look <seconds>', "from the Node's being Ready to the look at the instance's addresses", seconds)
    .option('--termination-look <seconds>', 'first look after a termination was asked for', seconds)
    .option('--inventory-interval <seconds>', 'between two inventories of the cloud', seconds)
    .option('--shutdown-grace <seconds>', 'how long running activities may go on after SIGTERM', seconds)
    .option('--shutdown-force <seconds>', 'after that the process is gone within this time (default: 3)', seconds)
    .option(
      '--debug-workflows',
      "keep call stacks for the Temporal UI's Call Stack, and a time limit on workflow code; takes CPU",
    )
    .action(async (_options, command: Command) =>
      (await import('../worker-command.ts')).worker(command.optsWithGlobals()),
    );
}
