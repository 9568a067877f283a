import type { Command } from 'commander';
import { addListFlags } from '../../flags/list-flags.ts';

export function addMachineDeployment(program: Command): void {
  const deployment = program
    .command('machinedeployment')
    .alias('machinedeployments')
    .description('look at MachineDeployments');
  addListFlags(
    deployment.command('list').alias('ls').description('the MachineDeployments, and how far their rollouts are'),
  ).action(async (_options, command: Command) =>
    (await import('./list.ts')).listMachineDeployments(command.optsWithGlobals()),
  );
}
