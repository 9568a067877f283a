import { Option, type Command } from 'commander';
import { IDEMPOTENCIES } from '../../../../providers/provider.ts';
import { WORKER_ROLES } from '../../../../workers/worker-role.ts';
import { cloudRates, clusterNames, seconds } from '../../flags/flag-values.ts';
import { addProcessFlags } from '../../flags/process-flags.ts';

export function addWorker(program: Command): void {
  addProcessFlags(program.command('worker').description('run the workflows and activities'))
    .addOption(new Option('--role <role>', 'which tasks it takes (default: all)').choices([...WORKER_ROLES]))
    .addOption(new Option('--simulated-endpoint <url>', 'the simulated cloud').env('MILLWRIGHT_SIMULATED_ENDPOINT'))
    .addOption(
      new Option('--simulated-idempotency <how>', 'what keeps launches unique in the simulated cloud (default: token)')
        .choices(IDEMPOTENCIES)
        .env('MILLWRIGHT_SIMULATED_IDEMPOTENCY'),
    )
    .addOption(
      new Option(
        '--cloud-rates <rates>',
        'most calls to a cloud: at once, and a second after that; e.g. aws:RunInstances=10+4,aws:Describe*=200+40 or aws=none (default: what the cloud documents)',
      )
        .env('MILLWRIGHT_CLOUD_RATES')
        .argParser(cloudRates),
    )
    .option(
      '--cluster-names <list>',
      'clusters whose instances may be adopted, beside those that have a Cluster object: [namespace/]cluster, commas between',
      clusterNames,
    )
    .option(
      '--lease-namespace <name>',
      'Kubernetes namespace of the Leases by which machines of a control plane go one at a time (default: kube-system)',
    )
    .option(
      '--creation-timeout <seconds>',
      'a launched machine whose Node has not joined by then is Failed (default: 1200)',
      seconds,
    )
    .option(
      '--capacity-failure-after <seconds>',
      'a machine of a set that cluster-autoscaler sizes is Failed when the cloud has had no room for so long (default: 60)',
      seconds,
    )
    .option('--consistency-window <seconds>', 'how long the cloud may take to show what it did (default: 300)', seconds)
    .option(
      '--call-timeout <seconds>',
      'time limit of one activity that calls the cloud to change something (default: 60)',
      seconds,
    )
    .option('--heartbeat <seconds>', "silence after which an activity's worker counts as dead (default: 5)", seconds)
    .option(
      '--gone-window <seconds>',
      'an instance absent in three looks that span this is gone (default: 300)',
      seconds,
    )
    .option(
      '--repeat-limit <seconds>',
      'a launch older than this is settled by look-ups, not repeated (default: 3600)',
      seconds,
    )
    .option(
      '--resync <seconds>',
      'between two looks at everything of a machine that nothing woke (default: 21600)',
      seconds,
    )
    .option(
      '--ready-look <seconds>',
      "from the Node's being Ready to the look at the instance's addresses (default: 20)",
      seconds,
    )
    .option('--termination-look <seconds>', 'first look after a termination was asked for (default: 1)', seconds)
    .option(
      '--node-monitor-grace <seconds>',
      'no machine is remediated for so long after the API server was away (default: 50)',
      seconds,
    )
    .option('--inventory-interval <seconds>', 'between two inventories of the cloud (default: 300)', seconds)
    .option('--shutdown-grace <seconds>', 'how long running activities may go on after SIGTERM (default: 10)', seconds)
    .option('--shutdown-force <seconds>', 'after that the process is gone within this time (default: 3)', seconds)
    .option(
      '--debug-workflows',
      "keep call stacks for the Temporal UI's Call Stack, and a time limit on workflow code; takes CPU",
    )
    .action(async (_options, command: Command) => (await import('./worker.ts')).worker(command.optsWithGlobals()));
}
