import type { StoredObject } from '../k8s/dialects/dialect.ts';
import { dialectOf } from '../k8s/dialects/registry.ts';
import { isNotFound } from '../k8s/kube-error.ts';
import type { MachineSet, Replica } from '../k8s/model/machine-set.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { formatSelector } from '../k8s/selector.ts';
import { planReplicas, type ReplicaPlan } from '../workflows/machine-set/plan-replicas.ts';
import type { ActivityDeps } from './deps.ts';

type Reads = Pick<ActivityDeps, 'kube'>;

/** A set that is acted on, its Machines, and what follows from both. */
export interface ReplicaLook {
  readonly set: MachineSet;
  /** By their uid. */
  readonly replicas: ReadonlyMap<string, Replica>;
  readonly plan: ReplicaPlan;
}

/** The stored set; undefined where it is gone, or another one has its name. */
export async function readStoredSet({ kube }: Reads, ref: ObjectRef): Promise<StoredObject | undefined> {
  try {
    const stored = await kube.get<StoredObject>(dialectOf(ref).machineSets, ref.namespace, ref.name);
    return stored.metadata.uid === ref.uid ? stored : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The set, if it is there and acted on: not malformed, not paused, not being deleted. */
export async function readActiveSet(deps: Reads, ref: ObjectRef): Promise<MachineSet | undefined> {
  const stored = await readStoredSet(deps, ref);
  if (stored === undefined) return undefined;
  const set = dialectOf(ref).readMachineSet(stored);
  return set.malformed === undefined && set.deletedAt === undefined && !set.paused ? set : undefined;
}

/**
 * A live look for one batch of creations or deletions, at the Machines that the selector matches: a namespace may have
 * thousands of others. They are listed after the set was read, as {@link planReplicas} wants it.
 *
 * @param issued names that are still to be created
 */
export async function lookAtReplicas(
  deps: Pick<ActivityDeps, 'kube' | 'clock'>,
  ref: ObjectRef,
  issued: readonly string[] = [],
): Promise<ReplicaLook | undefined> {
  const set = await readActiveSet(deps, ref);
  if (set === undefined) return undefined;
  const dialect = dialectOf(ref);
  const wanted = { namespace: ref.namespace, labelSelector: formatSelector(set.selector) };
  const { items } = await deps.kube.list<StoredObject>(dialect.machines, wanted);
  const replicas = items.map((item) => dialect.readReplica(item));
  const plan = planReplicas(set, replicas, issued, deps.clock.timeOfDay());
  return { set, replicas: new Map(replicas.map((r) => [r.uid, r])), plan };
}
