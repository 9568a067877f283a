import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineSet, Replica } from '../k8s/model/machine-set.ts';
import { replicaOf } from '../k8s/model/replica.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { formatSelector } from '../k8s/selector.ts';
import { planReplicas, type ReplicaPlan } from '../workflows/machine-set/plan-replicas.ts';
import { clusterPause } from './cluster-pause.ts';
import type { ActivityDeps } from './deps.ts';
import { readStored } from './read-stored.ts';

type Reads = Pick<ActivityDeps, 'kube' | 'apis'>;

/** A set that is acted on, its Machines, and what follows from both. */
export interface ReplicaLook {
  readonly set: MachineSet;
  /** By their uid. */
  readonly replicas: ReadonlyMap<string, Replica>;
  /** As they are stored, by their uid. */
  readonly stored: ReadonlyMap<string, StoredObject>;
  readonly plan: ReplicaPlan;
}

/** The set, if it is there and acted on: not malformed, not paused, nor its Cluster, and not being deleted. */
export async function readActiveSet({ kube, apis }: Reads, ref: ObjectRef): Promise<MachineSet | undefined> {
  const kind = apis.kindOf('machineSet', ref);
  const stored = await readStored(kube, kind.resource, ref);
  if (stored === undefined) return undefined;
  const { machineSet: set, clusterName } = kind.read(stored);
  if (set.malformed !== undefined || set.deletedAt !== undefined || set.paused) return undefined;
  return (await clusterPause({ kube, apis }, ref, clusterName)) === undefined ? set : undefined;
}

/**
 * A live look for one batch of creations or deletions, at the Machines that the selector matches: a namespace may have
 * thousands of others. They are listed after the set was read, as {@link planReplicas} wants it.
 *
 * @param issued names that are still to be created
 */
export async function lookAtReplicas(
  deps: Pick<ActivityDeps, 'kube' | 'apis' | 'clock'>,
  ref: ObjectRef,
  issued: readonly string[] = [],
): Promise<ReplicaLook | undefined> {
  const set = await readActiveSet(deps, ref);
  if (set === undefined) return undefined;
  const { resource, read } = deps.apis.machinesOf(ref);
  const wanted = { namespace: ref.namespace, labelSelector: formatSelector(set.selector) };
  const { items } = await deps.kube.list<StoredObject>(resource, wanted);
  const replicas = items.map((item) => replicaOf(read(item)));
  const plan = planReplicas(set, replicas, issued, deps.clock.timeOfDay());
  const stored = new Map(items.map((item) => [item.metadata.uid, item]));
  return { set, replicas: new Map(replicas.map((r) => [r.uid, r])), stored, plan };
}
