import { writeRolloutCause, writeSurplusCause } from '../k8s/model/cause.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { MachineSet, Replica } from '../k8s/model/machine-set.ts';
import { describeRef } from '../k8s/model/object-ref.ts';
import { asKnownToSets, setOfTemplate } from '../k8s/model/template-hash.ts';
import { availableAt, isAvailable, type Readiness } from '../k8s/model/readiness.ts';
import { rolloutMachineOf, type RolloutMachine } from '../k8s/model/rollout-machine.ts';
import { boundsOf } from '../workflows/machine-deployment/bounds.ts';
import { seeHold } from '../workflows/machine-deployment/hold.ts';
import { countTakeable, type TakeWorld } from '../workflows/machine-deployment/may-take.ts';
import { leastOld } from '../workflows/machine-deployment/rollout.ts';
import { given } from '../providers/given.ts';
import { livingDeploymentAbove } from './deployment-above.ts';
import type { ActivityDeps } from './deps.ts';
import { machinesOfDeployment } from './machines-of-deployment.ts';
import { setsOfDeployment } from './sets-of-deployment.ts';

/** What the deployment of a set says of the Machines that the set is to delete. */
export interface Taking {
  /** How many of them may go now, from the first on. */
  readonly count: number;
  /** Why they go, as it is written on them. */
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
  const found = chosen.length === 0 ? undefined : await livingDeploymentAbove(deps, set.deployment);
  if (found === undefined) return undefined;
  const { machineDeployment: asked, status } = found;
  const now = deps.clock.timeOfDay();
  // What it asks for cannot be read: nothing goes by it.
  if (asked.malformed !== undefined) return { count: 0, cause: causeOf(asked, set, false, now) };
  const sets = await setsOfDeployment(deps, asked);
  const deployment = asKnownToSets(asked, sets);
  const newest = setOfTemplate(sets, deployment)?.ref.uid;
  // Machines of a set that is being deleted are about to go.
  const living = sets.filter(({ deletedAt }) => deletedAt === undefined);
  const active = (await machinesOfDeployment(deps, deployment, living))
    .map(rolloutMachineOf)
    .filter(({ deleting }) => !deleting);
  const isOld = set.ref.uid !== newest;
  const hasOld = isOld || active.some(({ controller }) => controller !== set.ref.uid);
  const { hold, step } = seeHold(deployment, status, { hasOld, hasNew: false }, now);
  const isReady = (machine: Readiness): boolean => availableAt(machine, 0) !== undefined;
  const isUsable = (machine: Readiness): boolean => isAvailable(machine, deployment.minReadySeconds, now);
  const count = countTakeable(
    // One that is Ready, and not for long enough, may be so by another clock.
    chosen.map((machine) => ({ isMarked: machine.markedForDeletion, isAvailable: isReady(machine) })),
    {
      replicas: deployment.replicas,
      bounds: boundsOf(deployment),
      isHeld: deployment.paused || hold !== undefined,
      active: active.length,
      available: active.filter(isUsable).length,
      isOnlySet: active.every(({ controller }) => controller === set.ref.uid),
      ...given({
        old: isOld && step?.mostNew !== undefined ? countOld(deployment, step.mostNew, active, newest) : undefined,
      }),
    },
  );
  return { count, cause: causeOf(deployment, set, isOld, now) };
}

/**
 * How many Machines of earlier templates there are, and how many of them keep their places by the step under way.
 *
 * @param newest uid of the set of the template as it is now; undefined: it is not made yet
 */
function countOld(
  { replicas }: MachineDeployment,
  mostNew: number,
  active: readonly RolloutMachine[],
  newest: string | undefined,
): NonNullable<TakeWorld['old']> {
  const ofNewest = active.filter(({ controller }) => controller === newest).length;
  return { active: active.length - ofNewest, least: leastOld({ replicas, mostNew }, ofNewest) };
}

function causeOf(
  { ref, replicas, templateHash }: MachineDeployment,
  { revision, templateHash: own }: MachineSet,
  isOld: boolean,
  now: number,
): string {
  if (!isOld) return writeSurplusCause(`${describeRef(ref)} is scaled to ${replicas} machines`, now);
  const why =
    own === templateHash ? 'which was adopted beside that of the same template' : 'whose template is an earlier one';
  const words = `${describeRef(ref)} replaces the machines of revision ${revision}, ${why}`;
  return writeRolloutCause(words, now);
}
