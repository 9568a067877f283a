import type { Command } from 'commander';
import { replicas } from '../../flags/flag-values.ts';

export function addMachineSetScale(set: Command): void {
  set
    .command('scale')
    .argument('<name>', 'name of the MachineSet')
    .description('set how many machines a MachineSet keeps')
    .requiredOption('--replicas <number>', 'how many', replicas)
    .option('--current-replicas <number>', 'scale only where it is set to this many now', replicas)
    .action(async (name: string, _options, command: Command) =>
      (await import('./scale.ts')).scaleMachineSet(name, command.optsWithGlobals()),
    );
}
