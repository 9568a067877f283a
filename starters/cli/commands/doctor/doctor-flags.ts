import { Option, type Command } from 'commander';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check everything that Millwright rests on, and say what to do about what is wrong; changes nothing')
    .addOption(
      new Option('--as <role>', 'whose permissions these credentials have to have (default: one of them)').choices([
        'worker',
        'watcher',
      ]),
    )
    .option('--task-queue <name>', 'Temporal task queue of the workers (default: millwright-<uid of kube-system>)')
    .option(
      '--lease-name <name>',
      "the watcher's Lease (default: millwright-watcher; with --namespace: followed by it)",
    )
    .option('--lease-namespace <name>', 'Kubernetes namespace of that Lease (default: kube-system)')
    .option('--secret-namespaces <names...>', 'namespaces whose Secrets the worker may read (default: all)')
    .addOption(
      new Option('--simulated-endpoint <url>', 'the simulated cloud, as the worker has it').env(
        'MILLWRIGHT_SIMULATED_ENDPOINT',
      ),
    )
    .addHelpText('after', HELP)
    .action(async (_options, command: Command) => (await import('./doctor.ts')).doctor(command.optsWithGlobals()));
}

const HELP = `
Checks the API server and Temporal (reachable, version, namespace), permissions, definitions and admission policies,
search attributes, clocks, the credentials that Machines and MachineSets name, and whether a watcher and workers run.
With --namespace: the watcher and the Machines of that namespace only.

Exit codes: 0 nothing is wrong (some may not have been looked at), 1 something failed.`;
