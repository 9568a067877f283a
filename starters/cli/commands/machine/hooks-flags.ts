import type { Command } from 'commander';

export function addMachineHooks(machine: Command): void {
  machine
    .command('hooks')
    .argument('<name>', 'name of the Machine')
    .description(
      'the lifecycle hooks of a machine, whose they are, and which of them its deletion waits for since when',
    )
    .action(async (name: string, _options, command: Command) =>
      (await import('./hooks.ts')).showHooks(name, command.optsWithGlobals()),
    );
}
