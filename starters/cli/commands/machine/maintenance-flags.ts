import type { Command } from 'commander';
import { addOperationFlags } from './operation-flags.ts';

const BEGIN =
  'writes spec.maintenance: true, so that the Nodes are cordoned and drained and stay so; the instances run on';
const END =
  'writes spec.maintenance: false, so that the Nodes are uncordoned where nobody else had cordoned them, and says where somebody had';

export function addMachineMaintenance(machine: Command): void {
  const maintenance = machine
    .command('maintenance')
    .description('put machines into maintenance, or take them out: spec.maintenance');
  addBegin(maintenance.command('on').summary('empty the Nodes of machines, and keep them empty').description(BEGIN));
  addEnd(maintenance.command('off').summary('end the maintenance of machines').description(END));
}

export function addMachineDrain(machine: Command): void {
  addBegin(
    machine
      .command('drain')
      .summary('empty the Nodes of machines: the same as maintenance on')
      .description(`the same as \`maintenance on\`: ${BEGIN}`),
  );
}

export function addMachineUncordon(machine: Command): void {
  addEnd(
    machine
      .command('uncordon')
      .summary('end the maintenance of machines: the same as maintenance off')
      .description(`the same as \`maintenance off\`: ${END}`),
  );
}

function addBegin(command: Command): void {
  addOperationFlags(command, 'nothing that has to leave is on the Nodes').action(
    async (names: string[], _options, self: Command) =>
      (await import('./maintenance.ts')).beginMaintenance(names, self.optsWithGlobals()),
  );
}

function addEnd(command: Command): void {
  addOperationFlags(command, 'the Nodes are uncordoned').action(async (names: string[], _options, self: Command) =>
    (await import('./maintenance.ts')).endMaintenance(names, self.optsWithGlobals()),
  );
}
