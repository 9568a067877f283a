import { describeScope, listObjects } from '../../access/find-object.ts';
import type { ListOptions } from '../../flags/list-flags.ts';
import { openKube } from '../../access/kube-access.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { renderTable } from '../../output/table.ts';
import { machineRows } from './machine-table.ts';

/** `millwright machine list`. */
export async function listMachines(options: ListOptions): Promise<void> {
  const access = openKube(options);
  const namespace = options.allNamespaces === true ? undefined : access.namespace;
  const found = await listObjects(access, 'machine', { namespace, selector: options.selector });
  const { output } = options;
  if (isStructure(output)) {
    printStructure({ apiVersion: 'v1', kind: 'List', items: found.map(({ stored }) => stored) }, output);
  } else if (found.length === 0) {
    console.error(`No machines found in ${describeScope(namespace)}.`);
  } else {
    const isWide = output === 'wide';
    const rows = found.map(({ read }) => read);
    console.log(renderTable(machineRows(rows, { now: Date.now(), isWide, withNamespace: namespace === undefined })));
  }
}
