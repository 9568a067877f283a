import type { ListOptions } from '../../flags/list-flags.ts';
import { printList } from '../../output/print-list.ts';
import { machineDeploymentRows } from './machinedeployment-table.ts';

/** `millwright machinedeployment list`. */
export function listMachineDeployments(options: ListOptions): Promise<void> {
  return printList(options, 'machineDeployment', 'MachineDeployments', machineDeploymentRows);
}
