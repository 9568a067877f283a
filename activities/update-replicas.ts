import type { StoredObject } from '../k8s/dialects/kind.ts';
import { isConflict, type KubeError } from '../k8s/kube-error.ts';
import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { Replica } from '../k8s/model/machine-set.ts';
import type { ChangeAnswer, ChangeMachines } from '../workflows/machine-set/machine-set-activities.ts';
import { given } from '../providers/given.ts';
import type { ActivityDeps } from './deps.ts';
import { inBatches } from './in-batches.ts';
import { lookAtReplicas, type ReplicaLook } from './look-at-replicas.ts';
import { refusedOf, tryEach } from './try-each.ts';

/** A mistake in a template should not reach all at once. */
const FIRST_BATCH = 16;

/**
 * Has the Machines of a set follow the settings of its template, and tells them of a rollout. Each is written over the version that it
 * was looked at in: what somebody changes meanwhile is seen first.
 */
export async function updateReplicas(
  deps: Pick<ActivityDeps, 'kube' | 'apis' | 'clock'>,
  { ref, count, skip }: ChangeMachines,
): Promise<ChangeAnswer> {
  const passed = new Set(skip);
  const failed = new Map<Replica, KubeError>();
  let isOneChanged = false;
  const isDone = await inBatches(deps, { first: FIRST_BATCH, total: count }, async (size) => {
    const look = await lookAtReplicas(deps, ref);
    if (look === undefined) return 'last';
    const left = (look.plan.update ?? []).flatMap(({ uid }) => (passed.has(uid) ? [] : (look.replicas.get(uid) ?? [])));
    const batch = left.slice(0, size);
    const tries = await tryEach(batch, (replica) => updateOne(deps, look, replica));
    for (const [replica, error] of tries.refused) {
      passed.add(replica.uid);
      failed.set(replica, error);
    }
    if (tries.changed > 0) isOneChanged = true;
    return left.length === batch.length ? 'last' : 'more';
  });
  return { isDone: isDone && !isOneChanged, ...given({ refused: refusedOf(failed) }) };
}

async function updateOne(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { set, stored }: ReplicaLook,
  { uid, name, resourceVersion }: Replica,
): Promise<'done' | 'changed'> {
  const { resource, writeSettings } = apis.machinesOf(set.ref);
  const object = stored.get(uid) as StoredObject;
  const { settings } = set.template;
  const change = writeSettings?.(object, set.deployment === undefined ? undefined : settings, set.rollout);
  if (change === undefined) return 'done';
  const body = { ...change, metadata: { ...change.metadata, uid, resourceVersion } };
  try {
    await kube.mergePatch(resource, set.ref.namespace, name, body, { fieldManager: SET_FIELD_MANAGER });
    return 'done';
  } catch (error) {
    if (isConflict(error)) return 'changed';
    throw error;
  }
}
