import type { ListOptions } from '../../flags/list-flags.ts';
import { printList } from '../../output/print-list.ts';
import { machineRows } from './machine-table.ts';

/** `millwright machine list`. */
export function listMachines(options: ListOptions): Promise<void> {
  return printList(options, 'machine', 'machines', machineRows);
}
