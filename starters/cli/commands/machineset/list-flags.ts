import type { Command } from 'commander';
import { addListFlags } from '../../flags/list-flags.ts';

export function addMachineSetList(set: Command): void {
  addListFlags(
    set.command('list').alias('ls').description('the MachineSets, and how many of their machines are there'),
  ).action(async (_options, command: Command) =>
    (await import('./list.ts')).listMachineSets(command.optsWithGlobals()),
  );
}
