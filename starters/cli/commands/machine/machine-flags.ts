import type { Command } from 'commander';
import { addMachineDelete } from './delete-flags.ts';
import { addMachineDescribe } from './describe-flags.ts';
import { addMachineExplain } from './explain-flags.ts';
import { addMachineHooks } from './hooks-flags.ts';
import { addMachineList } from './list-flags.ts';
import { addMachineDrain, addMachineMaintenance, addMachineUncordon } from './maintenance-flags.ts';
import { addMachineRemediate } from './remediate-flags.ts';

export function addMachine(program: Command): void {
  const machine = program
    .command('machine')
    .alias('machines')
    .description('look at machines, delete them, empty their Nodes, and have them remediated');
  addMachineList(machine);
  addMachineDescribe(machine);
  addMachineExplain(machine);
  addMachineHooks(machine);
  addMachineDelete(machine);
  addMachineMaintenance(machine);
  addMachineDrain(machine);
  addMachineUncordon(machine);
  addMachineRemediate(machine);
}
