import type { Command } from 'commander';
import { addListFlags } from '../../flags/list-flags.ts';

export function addHealthCheckList(check: Command): void {
  addListFlags(
    check
      .command('list')
      .alias('ls')
      .description('the MachineHealthChecks, and how many of their machines are healthy'),
  ).action(async (_options, command: Command) =>
    (await import('./list.ts')).listHealthChecks(command.optsWithGlobals()),
  );
}
