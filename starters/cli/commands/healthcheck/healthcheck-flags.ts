import type { Command } from 'commander';
import { addHealthCheckExplain } from './explain-flags.ts';
import { addHealthCheckList } from './list-flags.ts';
import { addHealthCheckProceed } from './proceed-flags.ts';

export function addHealthCheck(program: Command): void {
  const check = program
    .command('healthcheck')
    .alias('healthchecks')
    .alias('mhc')
    .description('look at MachineHealthChecks, and have them go on in spite of a storm');
  addHealthCheckList(check);
  addHealthCheckExplain(check);
  addHealthCheckProceed(check);
}
