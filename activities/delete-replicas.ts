import { countOf } from '../k8s/model/count.ts';
import { isConflict, type KubeError } from '../k8s/kube-error.ts';
import { CAUSE_ANNOTATION, writeSurplusCause } from '../k8s/model/cause.ts';
import { CAUSE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { describeRef } from '../k8s/model/object-ref.ts';
import type { Replica } from '../k8s/model/machine-set.ts';
import type { ChangeMachines, DeleteAnswer } from '../workflows/machine-set/machine-set-activities.ts';
import type { ActivityDeps } from './deps.ts';
import { inBatches } from './in-batches.ts';
import { lookAtReplicas, type ReplicaLook } from './look-at-replicas.ts';
import { deleteWithNote } from './owned-objects.ts';
import { readTaking } from './taking.ts';
import { refusedOf, tryEach } from './try-each.ts';
import { given } from '../providers/given.ts';
import { lateAfter, momentOf } from '../providers/moment.ts';

/** No slow start: each one that goes was chosen by name. */
const FIRST_BATCH = 16;
/**
 * So long after the look that the set has it too many a Machine is deleted, at most, in milliseconds. It is less than the time after which
 * another worker has a try of its own.
 */
const MOST_OLD_MS = 14_000;
/** A Machine that changes this often between a look and its deletion counts as refused: something is wrong there. */
const MOST_CONFLICTS = 5;

/**
 * Deletes the Machines that the set has too many, chosen anew before each batch. One that is refused stays chosen: no other
 * goes in its stead.
 */
export async function deleteReplicas(
  deps: Pick<ActivityDeps, 'kube' | 'apis' | 'clock'>,
  { ref, count, skip }: ChangeMachines,
): Promise<DeleteAnswer> {
  const { kube, apis } = deps;
  const passed = new Set(skip);
  const conflicts = new Map<string, number>();
  const failed = new Map<Replica, KubeError>();
  let deleted = 0;
  let heldBack = 0;
  const isDone = await inBatches(deps, { first: FIRST_BATCH, total: count }, async (size) => {
    const isLate = lateAfter(deps.clock, momentOf(deps.clock), MOST_OLD_MS);
    const look = await lookAtReplicas(deps, ref);
    if (look === undefined) return 'last';
    const wanted = look.plan.remove.flatMap(({ uid }) => look.replicas.get(uid) ?? []);
    const taking = await readTaking(deps, look.set, wanted);
    const takeable = wanted.slice(0, taking?.count);
    heldBack = wanted.length - takeable.length;
    const left = takeable.filter(({ uid }) => !passed.has(uid));
    const batch = left.slice(0, size);
    const cause = taking?.cause ?? writeSurplusCause(whyOneGoes(look), deps.clock.timeOfDay());
    const tries = await tryEach(batch, (replica) => deleteOne(replica, cause, isLate));
    for (const [replica, error] of tries.refused) {
      passed.add(replica.uid);
      failed.set(replica, error);
    }
    deleted += tries.done;
    return tries.changed === 0 && left.length === batch.length ? 'last' : 'more';
  });
  const refused = refusedOf(failed);
  return { deleted, isDone, ...given({ refused, heldBack: heldBack || undefined }) };

  /** Its labels, its owner, its marks and its state are what it was chosen by. */
  async function deleteOne(replica: Replica, cause: string, isLate: () => boolean): Promise<'done' | 'changed'> {
    const { uid } = replica;
    try {
      const { resource } = apis.machinesOf(ref);
      const machines = { kube, resource, namespace: ref.namespace, fieldManager: CAUSE_FIELD_MANAGER };
      return await deleteWithNote(machines, replica, { [CAUSE_ANNOTATION]: cause }, isLate);
    } catch (error) {
      const times = (conflicts.get(uid) ?? 0) + 1;
      conflicts.set(uid, times);
      if (isConflict(error) && times < MOST_CONFLICTS) return 'changed';
      throw error;
    }
  }
}

function whyOneGoes({ set, plan }: ReplicaLook): string {
  const { ref, replicas } = set;
  return `${describeRef(ref)} has ${countOf(replicas + plan.remove.length, 'machine', 'machines')}, and ${countOf(replicas, 'is', 'are')} asked for`;
}
