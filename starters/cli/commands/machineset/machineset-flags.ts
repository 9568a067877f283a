import type { Command } from 'commander';
import { addMachineSetList } from './list-flags.ts';
import { addMachineSetScale } from './scale-flags.ts';

export function addMachineSet(program: Command): void {
  const set = program.command('machineset').alias('machinesets').description('look at MachineSets, and scale them');
  addMachineSetList(set);
  addMachineSetScale(set);
}
