import type { Command } from 'commander';
import { addListFlags } from '../../flags/list-flags.ts';

export function addMachineList(machine: Command): void {
  addListFlags(machine.command('list').alias('ls').description('the machines, and what each waits for')).action(
    async (_options, command: Command) => (await import('./list.ts')).listMachines(command.optsWithGlobals()),
  );
}
