import type { MachineKind, StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineSet, Replica } from '../k8s/model/machine-set.ts';
import { controllerOf } from '../k8s/model/owner-reference.ts';
import { replicaOf } from '../k8s/model/replica.ts';
import { selects } from '../k8s/selector.ts';
import { given } from '../providers/given.ts';
import type { OtherMachine } from '../workflows/machine-set/plan-replicas.ts';

/**
 * The Machines of a namespace for the plan of one set. In full it reads those that are the set's, or may become it: a namespace may
 * have thousands of others, and each set looks at all of them.
 */
export function readForSet(
  { ref, selector }: Pick<MachineSet, 'ref' | 'selector'>,
  machines: readonly StoredObject[],
  read: MachineKind['read'],
): { readonly replicas: readonly Replica[]; readonly others: readonly OtherMachine[] } {
  const replicas: Replica[] = [];
  const others: OtherMachine[] = [];
  for (const machine of machines) {
    const { name, labels = {}, deletionTimestamp, ownerReferences } = machine.metadata;
    const controller = controllerOf(ownerReferences)?.uid;
    const concernsIt = controller === undefined ? selects(selector, labels) : controller === ref.uid;
    if (concernsIt) replicas.push(replicaOf(read(machine)));
    else others.push({ name, labels, deleting: deletionTimestamp !== undefined, ...given({ controller }) });
  }
  return { replicas, others };
}
