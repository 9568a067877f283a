import type { Role } from '../../../k8s/dialects/kind.ts';
import { describeScope, listObjects, type Found } from '../access/find-object.ts';
import { openKube } from '../access/kube-access.ts';
import type { ListOptions } from '../flags/list-flags.ts';
import { isStructure, printStructure } from './print-structure.ts';
import { renderTable, type RowOptions } from './table.ts';

/**
 * Lists the objects of a role, as the flags say.
 *
 * @param words what they are called where there are none
 */
export async function printList<R extends Role>(
  options: ListOptions,
  role: R,
  words: string,
  rowsOf: (reads: readonly Found<R>['read'][], options: RowOptions) => string[][],
): Promise<void> {
  const access = openKube(options);
  const namespace = options.allNamespaces === true ? undefined : access.namespace;
  const found = await listObjects(access, role, { namespace, selector: options.selector });
  const { output } = options;
  if (isStructure(output)) {
    printStructure({ apiVersion: 'v1', kind: 'List', items: found.map(({ stored }) => stored) }, output);
  } else if (found.length === 0) {
    console.error(`No ${words} found in ${describeScope(namespace)}.`);
  } else {
    const reads = found.map(({ read }) => read);
    const isWide = output === 'wide';
    console.log(renderTable(rowsOf(reads, { now: Date.now(), isWide, withNamespace: namespace === undefined })));
  }
}
