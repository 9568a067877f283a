import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { MachineSet, Replica } from '../k8s/model/machine-set.ts';
import { describeRef } from '../k8s/model/object-ref.ts';
import { replicaOf } from '../k8s/model/replica.ts';
import { formatSelector } from '../k8s/selector.ts';
import { boundsOf } from '../workflows/machine-deployment/bounds.ts';
import { countTakeable } from '../workflows/machine-deployment/may-take.ts';
import { isAvailable } from '../workflows/machine-deployment/see-rollout.ts';
import type { ActivityDeps } from './deps.ts';
import { readStored } from './read-stored.ts';

/** What the deployment of a set says of the Machines that the set is to delete. */
export interface Taking {
  /** How many of them may go now, from the first on. */
  readonly count: number;
  /** Why they go. */
  readonly cause: string;
}

/**
 * A live look at the deployment of a set and at all its Machines, right before some of the set's go; undefined: no deployment controls
 * the set, or it goes itself.
 *
 * @param chosen those that are to go, in this order
 */
export async function readTaking(
  deps: Pick<ActivityDeps, 'kube' | 'apis' | 'clock'>,
  set: MachineSet,
  chosen: readonly Replica[],
): Promise<Taking | undefined> {
  const deployment = chosen.length === 0 ? undefined : await readDeploymentOf(deps, set);
  if (deployment === undefined) return undefined;
  const { resource, read } = deps.apis.machinesOf(set.ref);
  const { namespace } = set.ref;
  const wanted = { namespace, labelSelector: formatSelector(deployment.selector) };
  const { items } = await deps.kube.list<StoredObject>(resource, wanted);
  const active = items
    .map((item) => replicaOf(read(item)))
    .filter(({ deleting, controller }) => !deleting && controller !== undefined);
  const now = deps.clock.timeOfDay();
  const isUsable = (machine: Replica): boolean => isAvailable(machine, deployment.minReadySeconds, now);
  const count = countTakeable(
    chosen.map((machine) => ({ isMarked: machine.markedForDeletion, isAvailable: isUsable(machine) })),
    {
      replicas: deployment.replicas,
      bounds: boundsOf(deployment),
      isHeld: deployment.isRolloutPaused,
      active: active.length,
      available: active.filter(isUsable).length,
      isOnlySet: active.every(({ controller }) => controller === set.ref.uid),
    },
  );
  return { count, cause: whyTaken(deployment, set) };
}

async function readDeploymentOf(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { deployment: ref }: MachineSet,
): Promise<MachineDeployment | undefined> {
  if (ref === undefined) return undefined;
  const kind = apis.kindOf('machineDeployment', ref);
  const stored = await readStored(kube, kind.resource, ref);
  const deployment = stored && kind.read(stored).machineDeployment;
  return deployment?.malformed === undefined && deployment?.deletedAt === undefined ? deployment : undefined;
}

function whyTaken({ ref, replicas, templateHash }: MachineDeployment, set: MachineSet): string {
  return set.templateHash === templateHash
    ? `${describeRef(ref)} is scaled to ${replicas} machines`
    : `${describeRef(ref)} replaces the machines of revision ${set.revision}, whose template is an earlier one`;
}
