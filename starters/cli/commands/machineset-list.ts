import type { Command } from 'commander';
import { selectorOption } from './flag-values.ts';

export function addMachineSetList(set: Command): void {
  set
    .command('list')
    .alias('ls')
    .description('the MachineSets, and how many of their machines are there')
    .option('-A, --all-namespaces', 'of all namespaces')
    .addOption(selectorOption())
    .action(async (_options, command: Command) =>
      (await import('../machineset-list.ts')).listMachineSets(command.optsWithGlobals()),
    );
}
