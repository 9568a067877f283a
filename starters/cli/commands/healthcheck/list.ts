import type { ListOptions } from '../../flags/list-flags.ts';
import { printList } from '../../output/print-list.ts';
import { healthCheckRows } from './healthcheck-table.ts';

/** `millwright healthcheck list`. */
export function listHealthChecks(options: ListOptions): Promise<void> {
  return printList(options, 'machineHealthCheck', 'MachineHealthChecks', healthCheckRows);
}
