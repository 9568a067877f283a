import type { Command } from 'commander';
import { addProcessFlags } from '../../flags/process-flags.ts';

export function addWatcher(program: Command): void {
  addProcessFlags(
    program
      .command('watcher')
      .description('turn changes of objects into signals; with --namespace, those of one namespace only'),
  )
    .option('--lease-name <name>', 'Lease that makes one of several watchers the active one')
    .option('--lease-namespace <name>', 'Kubernetes namespace of the Lease (default: kube-system)')
    .action(async (_options, command: Command) => (await import('./watcher.ts')).watcher(command.optsWithGlobals()));
}
