import { describeScope, listObjects } from '../../access/find-object.ts';
import { openKube } from '../../access/kube-access.ts';
import type { ListOptions } from '../../flags/list-flags.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { renderTable } from '../../output/table.ts';
import { machineSetRows } from './machineset-table.ts';

/** `millwright machineset list`. */
export async function listMachineSets(options: ListOptions): Promise<void> {
  const access = openKube(options);
  const namespace = options.allNamespaces === true ? undefined : access.namespace;
  const found = await listObjects(access, 'machineSet', { namespace, selector: options.selector });
  const { output } = options;
  if (isStructure(output)) {
    printStructure({ apiVersion: 'v1', kind: 'List', items: found.map(({ stored }) => stored) }, output);
  } else if (found.length === 0) {
    console.error(`No MachineSets found in ${describeScope(namespace)}.`);
  } else {
    const isWide = output === 'wide';
    const rows = found.map(({ read }) => read);
    console.log(renderTable(machineSetRows(rows, { now: Date.now(), isWide, withNamespace: namespace === undefined })));
  }
}
