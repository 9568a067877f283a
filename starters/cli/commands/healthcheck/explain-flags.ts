import type { Command } from 'commander';
import { uiUrlOption } from '../../flags/flag-values.ts';

export function addHealthCheckExplain(check: Command): void {
  check
    .command('explain')
    .argument('<name>', 'name of the MachineHealthCheck')
    .description(
      'each machine that it selects: healthy or not, since when, and when it would be remediated; then what holds remediations up, with the numbers, and what to do',
    )
    .addOption(uiUrlOption())
    .action(async (name: string, _options, command: Command) =>
      (await import('./explain.ts')).explainHealthCheck(name, command.optsWithGlobals()),
    );
}
