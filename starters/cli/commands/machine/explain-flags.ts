import type { Command } from 'commander';
import { uiUrlOption } from '../../flags/flag-values.ts';

export function addMachineExplain(machine: Command): void {
  machine
    .command('explain')
    .argument('<name>', 'name of the Machine')
    .description('in one line why it is where it is; then which step, since when, the last error, the next try')
    .addOption(uiUrlOption())
    .action(async (name: string, _options, command: Command) =>
      (await import('./explain.ts')).explainMachine(name, command.optsWithGlobals()),
    );
}
