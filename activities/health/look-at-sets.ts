import { isOfKind } from '../../k8s/dialects/registry.ts';
import type { MachineDeployment } from '../../k8s/model/machine-deployment.ts';
import type { MachineSet } from '../../k8s/model/machine-set.ts';
import { isReady } from '../../k8s/model/node.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { given } from '../../providers/given.ts';
import type { MadeMachine, SetSight } from '../../workflows/machine-health-check/health-activities.ts';
import type { ActivityDeps } from '../deps.ts';
import { readOfRole } from '../read-stored.ts';
import { setsOfDeployment } from '../sets-of-deployment.ts';
import { deploymentAbove } from '../deployment-above.ts';
import type { ClusterPauses } from './pauses.ts';
import type { SeenBody } from './see-health.ts';

/** More than are remediated at a time: what is older than these was not made for any of them. */
const MOST_TOLD = 1000;

type Deps = Pick<ActivityDeps, 'kube' | 'apis'>;

interface Look {
  readonly bodies: readonly SeenBody[];
  /** Uids of sets for whose machines the cloud lacks room: of these it is told whether cluster-autoscaler may scale them down. */
  readonly lacking: ReadonlySet<string>;
  readonly pausedBy: ClusterPauses;
  /** What was seen of each deployment, by its uid: its sets share it. */
  readonly deployments: Map<string, Promise<SeenDeployment | undefined>>;
}

/** A deployment, and its sets that are there to stay. */
interface SeenDeployment {
  readonly deployment: MachineDeployment;
  readonly sets: readonly MachineSet[];
}

/** Sets, and other controllers, as they are now, by uid. Sets that are gone are not among them. */
export async function lookAtSets(
  deps: Deps,
  refs: readonly ObjectRef[],
  options: Omit<Look, 'deployments'>,
): Promise<Record<string, SetSight>> {
  const byUid = new Map(refs.map((ref) => [ref.uid, ref]));
  const look: Look = { ...options, deployments: new Map() };
  const looks = await Promise.all([...byUid.values()].map((ref) => lookAtSet(deps, ref, look)));
  return Object.fromEntries(looks.flat());
}

async function lookAtSet(deps: Deps, ref: ObjectRef, look: Look): Promise<[string, SetSight][]> {
  const found = await readOfRole(deps, 'machineSet', ref);
  if (found === undefined) return isOurs(deps, ref) ? [] : [[ref.uid, sightOfOther(ref, look)]];
  const { machineSet: set, meta, clusterName } = found.kind.read(found.stored);
  const { deployment, sets } = (await seeDeployment(deps, meta.controller, look)) ?? { sets: [set] };
  const sized = deployment ?? set;
  const mayBeScaledDown = look.lacking.has(ref.uid) && sized.replicas > (sized.autoscaledFrom ?? Infinity);
  const isPaused = (await look.pausedBy(ref, clusterName)) !== undefined;
  const isHeld = isPaused || [...sets, ...(deployment === undefined ? [] : [deployment])].some(makesNone);
  const living = livingOf(
    sets.map((one) => one.ref.uid),
    look,
  );
  const sight: SetSight = {
    name: ref.name,
    ...given({
      deployment: deployment?.ref.uid,
      isHeld: isHeld || undefined,
      mayBeScaledDown: mayBeScaledDown || undefined,
    }),
    wanted: sized.replicas,
    missing: missingOf(sets, living, deployment),
    unready: unreadyOf(living),
  };
  return [[ref.uid, sight]];
}

/** It is a MachineSet, and gone where it was not found. */
function isOurs({ apis }: Deps, ref: ObjectRef): boolean {
  return apis.kinds('machineSet').some(({ resource }) => isOfKind(resource, ref));
}

/** Of a controller of another kind nothing is known but its Machines. */
function sightOfOther(ref: ObjectRef, look: Look): SetSight {
  const living = livingOf([ref.uid], look);
  return { name: ref.name, missing: 0, living: newest(living), unready: unreadyOf(living) };
}

function livingOf(controllers: readonly string[], { bodies }: Look): readonly SeenBody[] {
  const uids = new Set(controllers);
  return bodies.filter(
    ({ read: { meta, machine } }) => uids.has(meta.controller?.uid ?? '') && machine.deletedAt === undefined,
  );
}

function unreadyOf(living: readonly SeenBody[]): MadeMachine[] {
  return newest(living.filter(({ node }) => node === undefined || !isReady(node)));
}

function newest(bodies: readonly SeenBody[]): MadeMachine[] {
  return bodies
    .map(({ read: { meta } }) => ({ uid: meta.ref.uid, createdAt: meta.createdAt }))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    .slice(0, MOST_TOLD);
}

/** The deployment of a set, where it has one. @param controller of the set */
function seeDeployment(
  deps: Deps,
  controller: ObjectRef | undefined,
  { deployments }: Look,
): Promise<SeenDeployment | undefined> | undefined {
  if (controller === undefined) return undefined;
  const asked = deployments.get(controller.uid) ?? readDeployment(deps, controller);
  deployments.set(controller.uid, asked);
  return asked;
}

async function readDeployment(deps: Deps, controller: ObjectRef): Promise<SeenDeployment | undefined> {
  const above = await deploymentAbove(deps, controller);
  if (above === undefined) return undefined;
  const deployment = above.machineDeployment;
  const sets = await setsOfDeployment(deps, deployment);
  return { deployment, sets: sets.filter((set) => set.deletedAt === undefined) };
}

function makesNone({ paused, deletedAt, malformed }: MachineSet | MachineDeployment): boolean {
  return paused || deletedAt !== undefined || malformed !== undefined;
}

/**
 * What a set of an earlier template loses another set gets, and not always at once: a deployment is short of what it has too few of in all,
 * and of what any of its sets has.
 */
function missingOf(sets: readonly MachineSet[], living: readonly SeenBody[], deployment?: MachineDeployment): number {
  const bySet = Map.groupBy(living, ({ read: { meta } }) => meta.controller?.uid);
  const ofSets = sets.map(({ ref, replicas }) => Math.max(0, replicas - (bySet.get(ref.uid)?.length ?? 0)));
  const inAll = (deployment?.replicas ?? 0) - living.length;
  return Math.max(
    inAll,
    ofSets.reduce((sum, one) => sum + one, 0),
  );
}
