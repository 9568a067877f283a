import type { Command } from 'commander';
import { selectorOption } from './flag-values.ts';

export function addMachineList(machine: Command): void {
  machine
    .command('list')
    .alias('ls')
    .description('the machines, and what each waits for')
    .option('-A, --all-namespaces', 'of all namespaces')
    .addOption(selectorOption())
    .action(async (_options, command: Command) =>
      (await import('../machine-list.ts')).listMachines(command.optsWithGlobals()),
    );
}
