import type { Command } from 'commander';
import { seconds } from '../../flags/flag-values.ts';

/** Of `--wait`: a machine with its workloads takes its time, one that hangs does not end. */
const TIMEOUT_SECONDS = 600;

export function addMachineDelete(machine: Command): void {
  machine
    .command('delete')
    .argument('<names...>', 'names of Machines')
    .description('delete machines, and with each its instance; with one unknown name nothing is deleted')
    .option('--wait', 'return when they are gone; says meanwhile what each waits for')
    .option('--timeout <seconds>', 'how long to wait with --wait', seconds, TIMEOUT_SECONDS)
    .action(async (names: string[], _options, command: Command) =>
      (await import('./delete.ts')).deleteMachines(names, command.optsWithGlobals()),
    );
}
