import { isConflict, type KubeError } from '../k8s/kube-error.ts';
import type { Replica } from '../k8s/model/machine-set.ts';
import type { DeleteAnswer, DeleteMachines } from '../workflows/machine-set/machine-set-activities.ts';
import type { ActivityDeps } from './deps.ts';
import { inBatches } from './in-batches.ts';
import { lookAtReplicas } from './look-at-replicas.ts';
import { deleteAsSeen } from './owned-objects.ts';
import { refusedOf, tryEach } from './try-each.ts';
import { given } from '../providers/given.ts';

/** No slow start: each one that goes was chosen by name. */
const FIRST_BATCH = 16;
/** A Machine that changes this often between a look and its deletion counts as refused: something is wrong there. */
const MOST_CONFLICTS = 5;

/**
 * Deletes the Machines that the set has too many, chosen anew before each batch. One that is refused stays chosen: no other
 * goes in its stead.
 */
export async function deleteReplicas(
  deps: Pick<ActivityDeps, 'kube' | 'apis' | 'clock'>,
  { ref, count, skip }: DeleteMachines,
): Promise<DeleteAnswer> {
  const { kube, apis } = deps;
  const passed = new Set(skip);
  const conflicts = new Map<string, number>();
  const failed = new Map<Replica, KubeError>();
  let deleted = 0;
  const isDone = await inBatches(deps, { first: FIRST_BATCH, total: count }, async (size) => {
    const look = await lookAtReplicas(deps, ref);
    if (look === undefined) return 'last';
    const left = look.plan.remove.flatMap(({ uid }) => (passed.has(uid) ? [] : (look.replicas.get(uid) ?? [])));
    const batch = left.slice(0, size);
    const tries = await tryEach(batch, deleteOne);
    for (const [replica, error] of tries.refused) {
      passed.add(replica.uid);
      failed.set(replica, error);
    }
    deleted += tries.done;
    return tries.changed === 0 && left.length === batch.length ? 'last' : 'more';
  });
  const refused = refusedOf(failed);
  return { deleted, isDone, ...given({ refused }) };

  /** Its labels, its owner, its marks and its state are what it was chosen by. */
  async function deleteOne(replica: Replica): Promise<'done' | 'changed'> {
    const { uid } = replica;
    try {
      await deleteAsSeen({ kube, resource: apis.machinesOf(ref).resource, namespace: ref.namespace }, replica);
      return 'done';
    } catch (error) {
      const times = (conflicts.get(uid) ?? 0) + 1;
      conflicts.set(uid, times);
      if (isConflict(error) && times < MOST_CONFLICTS) return 'changed';
      throw error;
    }
  }
}
