import { Command, InvalidArgumentError } from 'commander';
import { runInstall, runResume } from './install.ts';
import { runWatcherCommand } from './watcher.ts';
import { runWorkerCommand } from './worker.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly output?: 'json' | 'yaml' | 'wide';
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
}

const program = new Command('millwright')
  .description('Durable machine lifecycle for Kubernetes, on Temporal: every machine is a workflow.')
  .option('-n, --namespace <name>', 'namespace of the objects (default: the context’s)')
  .option('--context <name>', 'context of the kubeconfig (default: its current one)')
  .option('--kubeconfig <path>', 'kubeconfig (default: KUBECONFIG, ~/.kube/config, or the pod’s service account)')
  .option('-o, --output <format>', 'json, yaml or wide', oneOf('json', 'yaml', 'wide'))
  .option('--temporal-address <host:port>', 'Temporal’s frontend', process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233')
  .option('--temporal-namespace <name>', 'Temporal namespace', process.env['TEMPORAL_NAMESPACE'] ?? 'default')
  .showHelpAfterError()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

program
  .command('install')
  .description('apply CRDs and admission policies, and register Temporal’s search attributes')
  .option(
    '--take-over',
    'go on where another controller’s CRDs exist; every Machine is paused until `millwright resume`',
  )
  .action((options: { takeOver?: boolean }) => runInstall(program.opts<GlobalOptions>(), options));

program
  .command('resume')
  .description('end the pause that a take-over left on every Machine')
  .action(() => runResume(program.opts<GlobalOptions>()));

program
  .command('worker')
  .description('run the workflows and activities')
  .option('--task-queue <name>', 'default: millwright-<uid of kube-system>')
  .option('--health-port <port>', 'serve /healthz and /readyz on this port', wholeNumber)
  .option('--simulated-endpoint <url>', 'the simulated cloud', process.env['MILLWRIGHT_SIMULATED_ENDPOINT'])
  .option('--creation-timeout <seconds>', 'from the launch until its Node must have joined (default: 1200)', seconds)
  .option('--consistency-window <seconds>', 'how long the cloud may take to show what it did (default: 300)', seconds)
  .option('--call-timeout <seconds>', 'time limit of a call that launches or terminates (default: 60)', seconds)
  .option('--heartbeat <seconds>', 'silence after which a call’s worker counts as dead (default: 10)', seconds)
  .option('--gone-window <seconds>', 'an instance absent for this long is gone (default: 300)', seconds)
  .option('--repeat-limit <seconds>', 'a launch first called longer ago is not repeated (default: 3600)', seconds)
  .option('--resync <seconds>', 'a look at everything, whatever was signalled (default: 21600)', seconds)
  .option('--termination-look <seconds>', 'first look after a termination (default: 1)', seconds)
  .option('--inventory-interval <seconds>', 'between two inventories of the cloud (default: 300)', seconds)
  .option('--log-level <level>', 'trace, debug, info, warn, error or fatal', 'info')
  .action((options: Parameters<typeof runWorkerCommand>[1]) =>
    runWorkerCommand(program.opts<GlobalOptions>(), options),
  );

program
  .command('watcher')
  .description('turn changes of objects into signals')
  .option('--task-queue <name>', 'default: millwright-<uid of kube-system>')
  .option('--health-port <port>', 'serve /healthz and /readyz on this port', wholeNumber)
  .option('--log-level <level>', 'trace, debug, info, warn, error or fatal', 'info')
  .action((options: Parameters<typeof runWatcherCommand>[1]) =>
    runWatcherCommand(program.opts<GlobalOptions>(), options),
  );

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`millwright: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function oneOf(...values: string[]): (given: string) => string {
  return (given) => {
    if (!values.includes(given)) throw new InvalidArgumentError(`it is one of ${values.join(', ')}`);
    return given;
  };
}

function wholeNumber(given: string): number {
  const number = Number(given);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('it is a whole number');
  return number;
}

function seconds(given: string): number {
  const number = Number(given);
  if (!(number > 0)) throw new InvalidArgumentError('it is a number of seconds above 0');
  return number;
}
