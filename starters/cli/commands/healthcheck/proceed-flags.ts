import type { Command } from 'commander';

export function addHealthCheckProceed(check: Command): void {
  check
    .command('proceed')
    .argument('<name>', 'name of the MachineHealthCheck')
    .summary('remediate machines in spite of a storm')
    .description(
      'have it remediate machines although so many turned unhealthy at once that it takes that for a storm (condition StormSuspected): one, then twice as many with each success, up to its maxInFlight. It writes the annotation millwright.dev/proceed; a storm that comes later holds again. Where there is no storm nothing is changed',
    )
    .action(async (name: string, _options, command: Command) =>
      (await import('./proceed.ts')).proceedHealthCheck(name, command.optsWithGlobals()),
    );
}
