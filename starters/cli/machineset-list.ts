import { describeScope, listObjects } from './find-object.ts';
import { openKube } from './kube-access.ts';
import type { ListOptions } from './machine-list.ts';
import { machineSetRows } from './machineset-table.ts';
import { isStructure, printStructure } from './print-structure.ts';
import { renderTable } from './table.ts';

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
