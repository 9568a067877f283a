import type { MachineDeployment } from '../../k8s/model/machine-deployment.ts';
import type { MachineSet, MachineSetStatus, Replica } from '../../k8s/model/machine-set.ts';
import { formatSelector, selects } from '../../k8s/selector.ts';
import { availableAt } from '../machine-set/plan-replicas.ts';
import { given } from '../../providers/given.ts';
import { boundsOf } from './bounds.ts';
import type { FoundRollout, NamedSet, Ordered, RolloutSteps } from './machine-deployment-activities.ts';
import { judgeNewMachines, type NewMachines, type RolloutMachine } from './new-machines.ts';
import { planRollout } from './plan-rollout.ts';
import { sum, type Rollout, type RolloutSet } from './rollout.ts';

/** A set of the deployment's namespace, as it was read. */
export interface SeenSet {
  readonly set: MachineSet;
  readonly status: Partial<MachineSetStatus>;
  readonly resourceVersion: string;
  readonly createdAt: string;
  /** uid of whatever controls it; absent: nothing does. */
  readonly controller?: string;
}

/** What is seen of a deployment, and what follows. */
export type RolloutSight = Pick<
  FoundRollout,
  'rollout' | 'steps' | 'counts' | 'availableAt' | 'failure' | 'coming' | 'templateHash' | 'failureThreshold'
>;

/**
 * What a deployment is to do.
 *
 * @param sets those of its namespace
 * @param machines those of its namespace, from one consistent read that began after the sets were read: what a set has made by the
 *   time that its status answers to its spec is among them
 * @param setName name of the set of its template
 */
export function seeRollout(
  deployment: MachineDeployment,
  sets: readonly SeenSet[],
  machines: readonly RolloutMachine[],
  { setName, now }: { readonly setName: string; readonly now: number },
): RolloutSight {
  const mine = sets.filter(({ controller }) => controller === deployment.ref.uid).sort(byAge);
  const current = mine.find(({ set }) => set.templateHash === deployment.templateHash && set.deletedAt === undefined);
  const revisions = revisionsOf(mine, current);
  const rollout = rolloutOf(deployment, { sets, mine, current, machines, revisions, now });
  const plan = planRollout(rollout);
  const orders = mine.flatMap((seen): Ordered[] => {
    const { set } = seen;
    const { uid } = set.ref;
    const { replicas = set.replicas, maxMachines = set.maxMachines ?? 0 } = plan.get(uid) ?? {};
    const revision = revisions.get(uid) ?? 0;
    const { minReadySeconds } = deployment;
    const isSame =
      replicas === set.replicas &&
      maxMachines === set.maxMachines &&
      minReadySeconds === set.minReadySeconds &&
      revision === set.revision;
    const isLeftAlone = isSame || !plan.has(uid);
    return isLeftAlone
      ? []
      : [{ set: namedOf(seen), order: { replicas, maxMachines, minReadySeconds, revision }, from: set.replicas }];
  });
  const steps: RolloutSteps = {
    ...adoptionOf(deployment, sets),
    ...creationOf(deployment, { sets, current, revisions, setName }),
    orders: orders.sort((a, b) => a.order.replicas - a.from - (b.order.replicas - b.from)),
    remove: deployment.isRolloutPaused ? [] : outlived(deployment, mine, rollout),
  };
  return {
    rollout,
    steps,
    ...countsOf(deployment, mine, current, machines, now),
    coming: comingOf(deployment, current, machines, now),
    templateHash: deployment.templateHash,
    ...given({ failureThreshold: deployment.strategy.failureThreshold }),
    ...given({ failure: failureOf(mine) }),
  };
}

interface Seen {
  readonly sets: readonly SeenSet[];
  readonly mine: readonly SeenSet[];
  readonly current: SeenSet | undefined;
  readonly machines: readonly Replica[];
  readonly revisions: ReadonlyMap<string, number>;
  readonly now: number;
}

function rolloutOf(deployment: MachineDeployment, seen: Seen): Rollout {
  const { replicas, strategy, isRolloutPaused, selector, minReadySeconds } = deployment;
  const uids = new Set(seen.sets.map(({ set }) => set.ref.uid));
  const strays = seen.machines.filter(
    ({ controller, labels }) => (controller === undefined || !uids.has(controller)) && selects(selector, labels),
  );
  return {
    replicas,
    type: strategy.type,
    bounds: boundsOf(deployment),
    isHeld: isRolloutPaused,
    strays: strays.length,
    sets: seen.mine.map(({ set, status }): RolloutSet => {
      const { uid, name } = set.ref;
      const existing = seen.machines.filter(({ controller }) => controller === uid);
      const active = existing.filter(({ deleting, labels }) => !deleting && selects(set.selector, labels));
      return {
        name,
        uid,
        isCurrent: uid === seen.current?.set.ref.uid,
        revision: seen.revisions.get(uid) ?? 0,
        replicas: set.replicas,
        ...given({ maxMachines: set.maxMachines }),
        isSettled: status.observedGeneration === set.generation,
        isDeleting: set.deletedAt !== undefined,
        existing: existing.length,
        active: active.length,
        available: active.filter((machine) => isAvailable(machine, minReadySeconds, seen.now)).length,
      };
    }),
  };
}

/** Whether a Machine has been Ready for so many seconds. */
export function isAvailable(machine: Replica, minReadySeconds: number, now: number): boolean {
  const at = availableAt(machine, minReadySeconds);
  return !machine.deleting && at !== undefined && at <= now;
}

/** The number of each set's template. That of the current one is the greatest: who goes back to an earlier template makes it the newest. */
function revisionsOf(mine: readonly SeenSet[], current: SeenSet | undefined): Map<string, number> {
  let last = Math.max(0, ...mine.map(({ set }) => set.revision));
  const revisions = new Map<string, number>();
  for (const seen of mine) {
    const { revision, ref } = seen.set;
    if (seen !== current) revisions.set(ref.uid, revision === 0 ? (last += 1) : revision);
  }
  if (current === undefined) return revisions;
  const others = Math.max(0, ...revisions.values());
  const { revision, ref } = current.set;
  return revisions.set(ref.uid, revision > others ? revision : last + 1);
}

function adoptionOf(
  deployment: MachineDeployment,
  sets: readonly SeenSet[],
): Pick<RolloutSteps, 'adopt' | 'pauseFirst'> {
  const found = sets.filter(
    ({ set, controller }) =>
      controller === undefined &&
      set.deletedAt === undefined &&
      set.malformed === undefined &&
      selects(deployment.selector, set.template.labels),
  );
  const isOther = ({ set }: SeenSet) => set.templateHash !== deployment.templateHash && set.replicas > 0;
  return { adopt: found.map(namedOf), pauseFirst: !deployment.isRolloutPaused && found.some(isOther) };
}

function creationOf(
  { isRolloutPaused }: MachineDeployment,
  { sets, current, revisions, setName }: Pick<Seen, 'sets' | 'current' | 'revisions'> & { readonly setName: string },
): Pick<RolloutSteps, 'create' | 'taken'> {
  if (current !== undefined || isRolloutPaused) return {};
  if (sets.some(({ set }) => set.ref.name === setName)) return { taken: setName };
  return { create: { name: setName, revision: Math.max(0, ...revisions.values()) + 1 } };
}

/** Sets of earlier templates that have no Machines, beyond those that are kept to go back to. */
function outlived(
  { revisionHistoryLimit }: MachineDeployment,
  mine: readonly SeenSet[],
  { sets }: Rollout,
): NamedSet[] {
  const isEmpty = ({ isCurrent, isDeleting, isSettled, replicas, existing }: RolloutSet) =>
    !isCurrent && !isDeleting && isSettled && replicas + existing === 0;
  const empty = sets.filter(isEmpty).sort((a, b) => a.revision - b.revision);
  const tooMany = new Set(empty.slice(0, Math.max(0, empty.length - revisionHistoryLimit)).map(({ uid }) => uid));
  return mine.filter(({ set }) => tooMany.has(set.ref.uid)).map(namedOf);
}

function countsOf(
  { replicas: wanted, minReadySeconds, selector }: MachineDeployment,
  mine: readonly SeenSet[],
  current: SeenSet | undefined,
  machines: readonly Replica[],
  now: number,
): Pick<FoundRollout, 'counts' | 'availableAt'> {
  const uids = new Set(mine.map(({ set }) => set.ref.uid));
  const members = machines.filter(
    ({ controller, deleting }) => !deleting && controller !== undefined && uids.has(controller),
  );
  const times = members.map((machine) => availableAt(machine, minReadySeconds));
  const later = times.filter((at) => at !== undefined && at > now) as number[];
  const availableReplicas = times.filter((at) => at !== undefined && at <= now).length;
  return {
    counts: {
      replicas: members.length,
      updatedReplicas: sum(members, ({ controller }) => (controller === current?.set.ref.uid ? 1 : 0)),
      readyReplicas: members.filter(({ readySince }) => readySince !== undefined).length,
      availableReplicas,
      unavailableReplicas: Math.max(0, wanted - availableReplicas),
      labelSelector: formatSelector(selector),
    },
    ...(later.length === 0 ? {} : { availableAt: Math.min(...later) }),
  };
}

function comingOf(
  { minReadySeconds, progressDeadlineSeconds }: MachineDeployment,
  current: SeenSet | undefined,
  machines: readonly RolloutMachine[],
  now: number,
): NewMachines {
  const fresh = machines.filter(({ controller }) => controller !== undefined && controller === current?.set.ref.uid);
  return judgeNewMachines(fresh, progressDeadlineSeconds, now, (machine) => isAvailable(machine, minReadySeconds, now));
}

function failureOf(mine: readonly SeenSet[]): string | undefined {
  const failed = mine.find(({ status }) => status.error !== undefined);
  return failed && `MachineSet ${failed.set.ref.name}: ${failed.status.error?.message}`;
}

function namedOf({ set, resourceVersion }: SeenSet): NamedSet {
  const { name, uid } = set.ref;
  return { name, uid, resourceVersion };
}

function byAge(a: SeenSet, b: SeenSet): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.set.ref.name < b.set.ref.name ? -1 : 1);
}
