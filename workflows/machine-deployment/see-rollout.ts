import {
  rolledBackTo,
  type MachineDeployment,
  type MachineDeploymentStatus,
} from '../../k8s/model/machine-deployment.ts';
import type { MachineSet, MachineSetStatus } from '../../k8s/model/machine-set.ts';
import { isAvailable } from '../../k8s/model/readiness.ts';
import type { RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import { setFailureOf, type SetFailure } from '../../k8s/model/set-failure.ts';
import { asKnownToSets, setOfTemplate } from '../../k8s/model/template-hash.ts';
import { selects } from '../../k8s/selector.ts';
import { given } from '../../providers/given.ts';
import { boundsOf } from './bounds.ts';
import { comingOf, countsOf } from './count-machines.ts';
import { isToldComplete } from './found-rollout.ts';
import { heldUpOf } from './held-up.ts';
import { isOfPreflight, seeHold, type Hold } from './hold.ts';
import type { FoundRollout, NamedSet, RolloutSteps } from './machine-deployment-activities.ts';
import { markFirst } from './mark-first.ts';
import { planRollout } from './plan-rollout.ts';
import type { Pause } from './pauses.ts';
import { findWayBack } from './roll-back.ts';
import type { Rollout, RolloutSet } from './rollout.ts';
import { scaleDownOf, type ScaleDown } from './scale-down.ts';
import { scaleUpOf, type ScaleUp } from './scale-up.ts';
import { namedOf, ordersTo } from './set-orders.ts';

/** A set of the deployment's namespace, as it was read. */
export interface SeenSet {
  readonly set: MachineSet;
  readonly status: Partial<MachineSetStatus>;
  readonly resourceVersion: string;
  readonly createdAt: string;
  /** uid of whatever controls it; absent: nothing does. */
  readonly controller?: string;
}

/** What else its plan goes by. */
interface SeenBeside {
  /** Name of the set of its template, unless one of another template has it. */
  readonly setName: string;
  /** Its own, as stored. @default it has none */
  readonly status?: Partial<MachineDeploymentStatus>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of the deployment, the earliest first. @default none */
  readonly pauses?: readonly Pause[];
  /** As it was at the look before. */
  readonly scaleDown?: ScaleDown;
  /** As it was at the look before. */
  readonly scaleUp?: ScaleUp;
  /** How many Machines were wanted at the look before. */
  readonly replicasBefore?: number;
}

/** What is seen of a deployment, and what follows. */
export type RolloutSight = Pick<
  FoundRollout,
  | 'rollout'
  | 'steps'
  | 'counts'
  | 'availableAt'
  | 'failure'
  | 'pausedSet'
  | 'coming'
  | 'heldUp'
  | 'templateHash'
  | 'deadlineMs'
  | 'failureThreshold'
  | 'wayBack'
  | 'rolledBack'
  | 'hold'
  | 'step'
  | 'preflight'
  | 'scaleDown'
  | 'scaleUp'
>;

/**
 * What a deployment is to do.
 *
 * @param asked as it is read: its template goes by the name that its sets have for it from here on
 * @param sets those of its namespace
 * @param machines those of its namespace, from one consistent read that began after the sets were read: what a set has made by the
 *   time that its status answers to its spec is among them
 */
export function seeRollout(
  asked: MachineDeployment,
  sets: readonly SeenSet[],
  machines: readonly RolloutMachine[],
  { setName, status = {}, now, pauses, ...before }: SeenBeside,
): RolloutSight {
  const mine = sets.filter(({ controller }) => controller === asked.ref.uid).sort(byAge);
  const own = mine.map(({ set }) => set);
  const deployment = asKnownToSets(asked, own);
  const ofTemplate = setOfTemplate(own, deployment);
  const current = mine.find(({ set }) => set === ofTemplate);
  const revisions = revisionsOf(mine, current);
  const seen = { sets, mine, current, machines, revisions, now };
  const revision = current && revisions.get(current.set.ref.uid);
  const replaced = {
    hasOld: hasOld(seen),
    hasNew: current !== undefined && hasMachines(seen, current),
    revision: revision ?? NOT_YET,
  };
  const isWhole = !replaced.hasOld && status.completeTemplateHash === deployment.templateHash;
  // Of no machines the status says so, too: those that come then have to show whether the template is any good.
  const isOver = isWhole && isToldComplete(status, revision);
  const isMine = (uid: string): boolean => mine.some(({ set }) => set.ref.uid === uid);
  const held = seeHold(deployment, status, replaced, now);
  const { hold, step } = held;
  const counted: Rollout = {
    ...rolloutOf(deployment, seen),
    isHeld: hold !== undefined,
    ...given({ mostNew: step?.mostNew }),
  };
  const scaleDown = scaleDownOf(counted, before.scaleDown);
  const scaleUp = scaleUpOf(counted, before.scaleUp, before.replicasBefore);
  const rollout: Rollout = { ...counted, ...given({ goals: scaleDown?.goals, raised: scaleUp?.goals }) };
  const isTold = ({ uid }: RolloutSet) => mine.find(({ set }) => set.ref.uid === uid)?.set.rollout === 'outdated';
  const plan = markFirst(rollout, planRollout(rollout), isTold);
  const steps: RolloutSteps = {
    ...adoptionOf(asked, { sets, mine, current }),
    ...creationOf(asked, { sets, current, revisions, setName, hold }),
    orders: ordersTo(mine, { deployment, rollout, plan, revisions, isUntried: isOfPreflight(hold) }),
    remove: deployment.isRolloutPaused ? [] : outlived(deployment, mine, rollout, status.completeTemplateHash),
  };
  return {
    rollout,
    steps,
    ...held,
    ...countsOf(deployment, mine, current, machines, now),
    coming: comingOf(deployment, current, machines, { now, isWhole, isOver, ...given({ pauses }) }),
    ...given({ scaleDown, scaleUp, heldUp: heldUpOf(machines.filter(({ controller = '' }) => isMine(controller))) }),
    templateHash: deployment.templateHash,
    deadlineMs: deployment.progressDeadlineSeconds * 1000,
    ...given({ failureThreshold: deployment.strategy.failureThreshold }),
    ...given({ failure: failureOf(mine), pausedSet: pausedSetOf(seen) }),
    ...given({ wayBack: findWayBack(deployment, mine, status.completeTemplateHash) }),
    ...given({ rolledBack: rolledBackTo(deployment, revision) }),
  };
}

interface Seen {
  readonly sets: readonly SeenSet[];
  readonly mine: readonly SeenSet[];
  readonly current: SeenSet | undefined;
  readonly machines: readonly RolloutMachine[];
  readonly revisions: ReadonlyMap<string, number>;
  readonly now: number;
}

/** The set of the template is still to be made. */
const NOT_YET = 0;

/** There are, or are to be, Machines of earlier templates. */
function hasOld(seen: Seen): boolean {
  return seen.mine.some((each) => each !== seen.current && hasMachines(seen, each));
}

function hasMachines({ machines }: Seen, { set }: SeenSet): boolean {
  return set.replicas > 0 || machines.some(({ controller }) => controller === set.ref.uid);
}

function rolloutOf(deployment: MachineDeployment, seen: Seen): Omit<Rollout, 'isHeld'> {
  const { replicas, strategy, selector, minReadySeconds } = deployment;
  const uids = new Set(seen.sets.map(({ set }) => set.ref.uid));
  const strays = seen.machines.filter(
    ({ controller, labels }) => (controller === undefined || !uids.has(controller)) && selects(selector, labels),
  );
  const isUsable = (machine: RolloutMachine): boolean => isAvailable(machine, minReadySeconds, seen.now);
  return {
    replicas,
    type: strategy.type,
    bounds: boundsOf(deployment),
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
        hasAnswered: status.observedGeneration === set.generation,
        isDeleting: set.deletedAt !== undefined,
        existing: existing.length,
        active: active.length,
        available: active.filter(isUsable).length,
        ...given({
          isRefused: setFailureOf(status)?.reason === 'FailedDelete' || undefined,
          first: firstToGo(active, isUsable),
        }),
      };
    }),
  };
}

/** Undefined: none of them does. */
function firstToGo(
  active: readonly RolloutMachine[],
  isUsable: (machine: RolloutMachine) => boolean,
): RolloutSet['first'] | undefined {
  const marked = active.filter(({ markedForDeletion }) => markedForDeletion);
  const others = active.filter(({ markedForDeletion }) => !markedForDeletion);
  const failed = others.filter(({ isFailed }) => isFailed).length;
  const pending = others.filter(({ isFailed, hasNode }) => !isFailed && !hasNode).length;
  if (marked.length + failed + pending === 0) return undefined;
  return { marked: marked.length, markedAvailable: marked.filter(isUsable).length, failed, pending };
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
  { sets, mine, current }: Pick<Seen, 'sets' | 'mine' | 'current'>,
): Pick<RolloutSteps, 'adopt' | 'pauseFirst'> {
  const found = adoptableOf(deployment, sets);
  const all = [...mine, ...found].sort(byAge).map(({ set }) => set);
  const next = setOfTemplate(all, asKnownToSets(deployment, all));
  // It may be another one than until now that has the template.
  const replaced = [...found, ...(current === undefined ? [] : [current])].filter(({ set }) => set !== next);
  const replaces = replaced.some(({ set }) => set.replicas > 0);
  return { adopt: found.map(namedOf), pauseFirst: !deployment.isRolloutPaused && replaces };
}

/** Nobody has them, and the deployment selects what they make. */
function adoptableOf({ selector }: MachineDeployment, sets: readonly SeenSet[]): readonly SeenSet[] {
  return sets.filter(
    ({ set, controller }) =>
      controller === undefined &&
      set.deletedAt === undefined &&
      set.malformed === undefined &&
      selects(selector, set.template.labels),
  );
}

function creationOf(
  deployment: MachineDeployment,
  {
    sets,
    current,
    revisions,
    setName,
    hold,
  }: Pick<Seen, 'sets' | 'current' | 'revisions'> & { readonly setName: string; readonly hold: Hold | undefined },
): Pick<RolloutSteps, 'create' | 'taken'> {
  const { isRolloutPaused, templateHash } = deployment;
  if (current !== undefined || isRolloutPaused || hold?.reason === 'ReplaceNotAllowed') return {};
  // One that is adopted becomes the set of the template: another beside it would be a revision of its own.
  if (adoptableOf(deployment, sets).some(({ set }) => set.templateHash === templateHash)) return {};
  const revision = Math.max(0, ...revisions.values()) + 1;
  const named = (name: string) => sets.find(({ set }) => set.ref.name === name);
  // One that was adopted may have the name for a template that it has no more; it stays as long as its Machines do. The other name is as
  // long as this one: those of Machines, which begin with it, have no room for more.
  const isOurs = revisions.has(named(setName)?.set.ref.uid ?? '') && named(setName)?.set.deletedAt === undefined;
  const ending = `-${revision}`;
  const name = isOurs ? setName.slice(0, -ending.length) + ending : setName;
  return named(name) === undefined ? { create: { name, revision } } : { taken: name };
}

/**
 * Sets of earlier templates that have no Machines, beyond those that are kept to go back to.
 *
 * @param complete hash of the last template that was rolled out whole, whose set is kept besides
 */
function outlived(
  { revisionHistoryLimit }: MachineDeployment,
  mine: readonly SeenSet[],
  { sets }: Rollout,
  complete: string | undefined,
): NamedSet[] {
  const isKept = (uid: string) => mine.some(({ set }) => set.ref.uid === uid && set.templateHash === complete);
  const isEmpty = ({ isCurrent, isDeleting, hasAnswered, replicas, existing }: RolloutSet) =>
    !isCurrent && !isDeleting && hasAnswered && replicas + existing === 0;
  const empty = sets.filter((set) => isEmpty(set) && !isKept(set.uid)).sort((a, b) => a.revision - b.revision);
  const tooMany = new Set(empty.slice(0, Math.max(0, empty.length - revisionHistoryLimit)).map(({ uid }) => uid));
  return mine.filter(({ set }) => tooMany.has(set.ref.uid)).map(namedOf);
}

/** The first of what its sets are refused. */
function failureOf(mine: readonly SeenSet[]): SetFailure | undefined {
  const failures = mine.flatMap(({ set, status }) => {
    const failure = setFailureOf(status);
    return failure === undefined ? [] : [{ ...failure, message: `MachineSet ${set.ref.name}: ${failure.message}` }];
  });
  const first = (of: SetFailure['reason']) => failures.find(({ reason }) => reason === of);
  return first('FailedCreate') ?? first('FailedDelete') ?? failures[0];
}

function pausedSetOf(seen: Seen): string | undefined {
  const isHeld = ({ set }: SeenSet): boolean => set.paused && set.deletedAt === undefined;
  return seen.mine.find((each) => isHeld(each) && hasMachines(seen, each))?.set.ref.name;
}

function byAge(a: SeenSet, b: SeenSet): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.set.ref.name < b.set.ref.name ? -1 : 1);
}
