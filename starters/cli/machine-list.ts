import { describeScope, listObjects } from './find-object.ts';
import type { GlobalOptions } from './global-options.ts';
import { openKube } from './kube-access.ts';
import { machineRows } from './machine-table.ts';
import { isStructure, printStructure } from './print-structure.ts';
import { renderTable } from './table.ts';

export interface ListOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
  /** As kubectl's `-l`. */
  readonly selector?: string;
}

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
