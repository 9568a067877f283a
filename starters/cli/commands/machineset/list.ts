import type { ListOptions } from '../../flags/list-flags.ts';
import { printList } from '../../output/print-list.ts';
import { machineSetRows } from './machineset-table.ts';

/** `millwright machineset list`. */
export function listMachineSets(options: ListOptions): Promise<void> {
  return printList(options, 'machineSet', 'MachineSets', machineSetRows);
}
