import type { Command } from 'commander';
import { uiUrlOption } from '../../flags/flag-values.ts';

export function addMachineDescribe(machine: Command): void {
  machine
    .command('describe')
    .argument('<name>', 'name of the Machine')
    .description('everything about one machine: why it is where it is, spec, status, conditions, events, workflow')
    .addOption(uiUrlOption())
    .action(async (name: string, _options, command: Command) =>
      (await import('./describe.ts')).describeMachine(name, command.optsWithGlobals()),
    );
}
