import { Command, InvalidArgumentError, Option } from 'commander';
import { OUTPUT_FORMATS } from './global-options.ts';

/** Heavy modules are imported inside the command that needs them, so that `--help` and `list` start fast. */
export function createProgram(): Command {
  const program = new Command('millwright')
    .description('Durable machine lifecycle for Kubernetes: every machine is a Temporal workflow.')
    .option('-n, --namespace <name>', "Kubernetes namespace (default: the context's)")
    .option('--context <name>', "context of the kubeconfig (default: the kubeconfig's current one)")
    .option('--kubeconfig <path>', 'kubeconfig file (default: KUBECONFIG, ~/.kube/config, or the service account)')
    .addOption(new Option('-o, --output <format>', 'how to print').choices([...OUTPUT_FORMATS]))
    .addOption(
      new Option('--temporal-address <host:port>', "Temporal's frontend")
        .env('TEMPORAL_ADDRESS')
        .default('localhost:7233'),
    )
    .addOption(
      new Option('--temporal-namespace <name>', 'Temporal namespace').env('TEMPORAL_NAMESPACE').default('default'),
    )
    .exitOverride();
  addInstall(program);
  addWorker(program);
  addWatcher(program);
  addMachine(program);
  return program;
}

function addInstall(program: Command): void {
  program
    .command('install')
    .description('install definitions and policies in Kubernetes and search attributes in Temporal; may be repeated')
    .option('--take-over', "take over an API that is somebody else's; leaves every machine paused until `resume`")
    .action(async (_options, command: Command) =>
      (await import('./install-command.ts')).install(command.optsWithGlobals()),
    );
  program
    .command('resume')
    .description('take off the pause that `install --take-over` left on every machine')
    .action(async (_options, command: Command) =>
      (await import('./install-command.ts')).resume(command.optsWithGlobals()),
    );
}

function addWorker(program: Command): void {
  addProcessOptions(program.command('worker').description('run the workflows and activities'))
    .addOption(new Option('--simulated-endpoint <url>', 'the simulated cloud').env('MILLWRIGHT_SIMULATED_ENDPOINT'))
    .option('--creation-timeout <seconds>', 'a launched machine whose Node has not joined by then is Failed', seconds)
    .option('--consistency-window <seconds>', 'how long the cloud may take to show what it did', seconds)
    .option('--call-timeout <seconds>', 'time limit of one launch or terminate activity', seconds)
    .option('--heartbeat <seconds>', "silence after which an activity's worker counts as dead", seconds)
    .option('--gone-window <seconds>', 'an instance absent in three looks that span this is gone', seconds)
    .option('--repeat-limit <seconds>', 'a launch older than this is settled by look-ups, not repeated', seconds)
    .option('--resync <seconds>', 'between two looks at everything of a machine that nothing woke', seconds)
    .option('--termination-look <seconds>', 'first look after a termination was asked for', seconds)
    .option('--inventory-interval <seconds>', 'between two inventories of the cloud', seconds)
    .option('--shutdown-grace <seconds>', 'how long running activities may go on after SIGTERM', seconds)
    .action(async (_options, command: Command) =>
      (await import('./worker-command.ts')).worker(command.optsWithGlobals()),
    );
}

function addWatcher(program: Command): void {
  addProcessOptions(
    program
      .command('watcher')
      .description('turn changes of objects into signals; with --namespace, those of one namespace only'),
  )
    .option('--lease-name <name>', 'Lease that makes one of several watchers the active one')
    .option('--lease-namespace <name>', 'Kubernetes namespace of the Lease (default: kube-system)')
    .action(async (_options, command: Command) =>
      (await import('./watcher-command.ts')).watcher(command.optsWithGlobals()),
    );
}

function addMachine(program: Command): void {
  const machine = program.command('machine').alias('machines').description('look at machines').exitOverride();
  machine
    .command('list')
    .alias('ls')
    .description('the machines, and what each waits for')
    .option('-A, --all-namespaces', 'of all namespaces')
    .action(async (_options, command: Command) =>
      (await import('./machine-list.ts')).listMachines(command.optsWithGlobals()),
    );
  machine
    .command('explain')
    .argument('<name>', 'name of the Machine')
    .description('which step it is in, since when, what it waits for, the last error, the next try')
    .addOption(
      new Option('--ui-url <url>', 'Temporal Web UI to link to (default: that of the stack beside the kubeconfig)').env(
        'MILLWRIGHT_UI_URL',
      ),
    )
    .action(async (name: string, _options, command: Command) =>
      (await import('./machine-explain.ts')).explainMachine(name, command.optsWithGlobals()),
    );
}

function addProcessOptions(command: Command): Command {
  return command
    .option('--task-queue <name>', 'Temporal task queue (default: millwright-<uid of kube-system>)')
    .option('--health-port <port>', 'serve /healthz and /readyz on this port', port)
    .option('--health-host <address>', 'address to serve them on (default: 127.0.0.1)')
    .addOption(
      new Option('--log-level <level>', 'least level that is logged').choices([
        'trace',
        'debug',
        'info',
        'warn',
        'error',
        'fatal',
      ]),
    );
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('It has to be a number of seconds above 0.');
  return value;
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new InvalidArgumentError('It has to be a port.');
  return value;
}
