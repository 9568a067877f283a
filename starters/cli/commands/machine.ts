import type { Command } from 'commander';
import { addMachineDelete } from './machine-delete.ts';
import { addMachineDescribe } from './machine-describe.ts';
import { addMachineExplain } from './machine-explain.ts';
import { addMachineList } from './machine-list.ts';

export function addMachine(program: Command): void {
  const machine = program.command('machine').alias('machines').description('look at machines, and delete them');
  addMachineList(machine);
  addMachineDescribe(machine);
  addMachineExplain(machine);
  addMachineDelete(machine);
}
