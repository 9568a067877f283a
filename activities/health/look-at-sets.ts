import { isReady } from '../../k8s/model/node.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { SetSight } from '../../workflows/machine-health-check/health-activities.ts';
import type { ActivityDeps } from '../deps.ts';
import { readOfRole } from '../read-stored.ts';
import { sizedBy } from '../sized-by.ts';
import type { ClusterPauses } from './pauses.ts';
import type { SeenBody } from './see-health.ts';

/** More than are remediated at a time: what is older than these was not made for any of them. */
const MOST_UNREADY = 1000;

type Deps = Pick<ActivityDeps, 'kube' | 'apis'>;

/**
 * Sets as they are now, by uid. Those that are gone, or are no MachineSets of ours, are not among them.
 *
 * @param lacking uids of those for whose machines the cloud lacks room: of these it is told whether cluster-autoscaler may scale them down
 */
export async function lookAtSets(
  deps: Deps,
  refs: readonly ObjectRef[],
  bodies: readonly SeenBody[],
  lacking: ReadonlySet<string>,
  pausedBy: ClusterPauses,
): Promise<Record<string, SetSight>> {
  const byUid = new Map(refs.map((ref) => [ref.uid, ref]));
  const looks = await Promise.all([...byUid.values()].map((ref) => lookAtSet(deps, ref, bodies, lacking, pausedBy)));
  return Object.fromEntries(looks.flat());
}

async function lookAtSet(
  deps: Deps,
  ref: ObjectRef,
  bodies: readonly SeenBody[],
  lacking: ReadonlySet<string>,
  pausedBy: ClusterPauses,
): Promise<[string, SetSight][]> {
  const found = await readOfRole(deps, 'machineSet', ref);
  if (found === undefined) return [];
  const { machineSet: set, meta, clusterName } = found.kind.read(found.stored);
  const isPaused = set.paused || (await pausedBy(ref, clusterName)) !== undefined;
  const sized = lacking.has(ref.uid) ? await sizedBy(deps, meta.controller, set) : undefined;
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
    ...(isPaused || set.deletedAt !== undefined || set.malformed !== undefined ? { isHeld: true as const } : {}),
    ...(sized !== undefined && sized.replicas > (sized.autoscaledFrom ?? Infinity)
      ? { mayBeScaledDown: true as const }
      : {}),
    living: living.length,
    unready: unready.slice(0, MOST_UNREADY),
  };
  return [[ref.uid, sight]];
}
