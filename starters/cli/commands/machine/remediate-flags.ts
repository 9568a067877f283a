import type { Command } from 'commander';

export function addMachineRemediate(machine: Command): void {
  machine
    .command('remediate')
    .argument('<name>', 'name of the Machine')
    .summary('have the health check of a machine remediate it')
    .description(
      'have the health check of a machine remediate it, as if it were unhealthy: by default the Machine is deleted, and its set makes another. The wish stands in an annotation of the Machine; what limits the check limits this as well, but for a storm',
    )
    .option(
      '--reason <text>',
      'why, for whoever reads it later (default: the reason that stands there, or else who asked for it)',
    )
    .action(async (name: string, _options, command: Command) =>
      (await import('./remediate.ts')).remediateMachine(name, command.optsWithGlobals()),
    );
}
