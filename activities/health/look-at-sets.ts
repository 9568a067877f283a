import { isOfKind } from '../../k8s/dialects/registry.ts';
import { isReady } from '../../k8s/model/node.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { SetSight } from '../../workflows/machine-health-check/health-activities.ts';
import type { ActivityDeps } from '../deps.ts';
import { readStored } from '../read-stored.ts';
import type { SeenBody } from './see-health.ts';

/** More than are remediated at a time: what is older than these was not made for any of them. */
const MOST_UNREADY = 1000;

/** Sets as they are now, by uid. Those that are gone, or are no MachineSets of ours, are not among them. */
export async function lookAtSets(
  deps: Pick<ActivityDeps, 'kube' | 'apis'>,
  refs: readonly ObjectRef[],
  bodies: readonly SeenBody[],
): Promise<Record<string, SetSight>> {
  const byUid = new Map(refs.map((ref) => [ref.uid, ref]));
  const looks = await Promise.all([...byUid.values()].map((ref) => lookAtSet(deps, ref, bodies)));
  return Object.fromEntries(looks.flat());
}

async function lookAtSet(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  ref: ObjectRef,
  bodies: readonly SeenBody[],
): Promise<[string, SetSight][]> {
  const kind = apis.kinds('machineSet').find(({ resource }) => isOfKind(resource, ref));
  const stored = kind && (await readStored(kube, kind.resource, ref));
  if (kind === undefined || stored === undefined) return [];
  const { machineSet: set } = kind.read(stored);
  const living = bodies.filter(
    ({ read }) => read.meta.controller?.uid === ref.uid && read.machine.deletedAt === undefined,
  );
  const unready = living
    .filter(({ node }) => node === undefined || !isReady(node))
    .map(({ read: { meta } }) => ({ uid: meta.ref.uid, createdAt: meta.createdAt }))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  const sight: SetSight = {
    name: ref.name,
    replicas: set.replicas,
    ...(set.paused || set.deletedAt !== undefined || set.malformed !== undefined ? { isHeld: true as const } : {}),
    ...(set.replicas > (set.autoscaledFrom ?? Infinity) ? { mayBeScaledDown: true as const } : {}),
    living: living.length,
    unready: unready.slice(0, MOST_UNREADY),
  };
  return [[ref.uid, sight]];
}
