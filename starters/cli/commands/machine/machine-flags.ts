import type { Command } from 'commander';
import { addMachineDelete } from './delete-flags.ts';
import { addMachineDescribe } from './describe-flags.ts';
import { addMachineExplain } from './explain-flags.ts';
import { addMachineList } from './list-flags.ts';

export function addMachine(program: Command): void {
  const machine = program.command('machine').alias('machines').description('look at machines, and delete them');
  addMachineList(machine);
  addMachineDescribe(machine);
  addMachineExplain(machine);
  addMachineDelete(machine);
}
