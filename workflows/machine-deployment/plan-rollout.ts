import { planHold } from './plan-hold.ts';
import {
  leastAvailable,
  leastOld,
  mostMachines,
  roomBeside,
  sum,
  type FirstToGo,
  type Rollout,
  type RolloutSet,
  type Target,
} from './rollout.ts';
import { Targets, withinRoom } from './targets.ts';

/** What a deployment wants of each of its sets now, by the set's uid. */
export type RolloutPlan = ReadonlyMap<string, Target>;

/**
 * One step of a rollout. It holds to two bounds: there are never more Machines than replicas and maxSurge, those that are being
 * deleted included; and an available Machine is taken only where replicas less maxUnavailable stay available.
 *
 * For the first, each set has a limit to what may be there of it, and what the limits allow together is within the bound. A limit is
 * raised only when every set has answered to what it was told last, and none is lowered by the same plan. For the second, see
 * {@link Targets}; and the set looks at it once more before it deletes.
 */
export function planRollout(rollout: Rollout): RolloutPlan {
  const living = rollout.sets.filter(({ isDeleting }) => !isDeleting).sort((a, b) => a.revision - b.revision);
  const wanted =
    rollout.isHeld || rollout.raised !== undefined
      ? planHold(rollout, living)
      : rollout.mostNew === undefined
        ? planMove(rollout, living)
        : planStep(rollout, living);
  return withoutEarlyRaise(living, wanted);
}

function planMove(rollout: Rollout, living: readonly RolloutSet[]): Map<RolloutSet, Target> {
  const current = living.find(({ isCurrent }) => isCurrent);
  // Nothing is taken before there is a set to make others.
  if (current === undefined) return new Map();
  const old = living.filter((set) => set !== current);
  const targets = targetsOf(rollout, current, old);
  const limit = limitOf(rollout, current);
  return new Map([
    [current, { replicas: targets.of(current), maxMachines: limit }],
    ...old.map((set) => [set, { replicas: targets.of(set), maxMachines: 0 }] as const),
  ]);
}

/** A step of it allows so many new Machines only: as many old ones keep their places, and get back what they lose. */
function planStep(rollout: Rollout, living: readonly RolloutSet[]): Map<RolloutSet, Target> {
  const current = living.find(({ isCurrent }) => isCurrent);
  if (current === undefined) return new Map();
  const old = living.filter((set) => set !== current);
  const targets = targetsOf(rollout, current, old);
  const missing = Math.max(0, leastOld(rollout, targets.of(current)) - sum(old, (set) => targets.of(set)));
  // One that is empty was given up, maybe for what its Machines were like.
  const newestOld = old.findLast(({ replicas, active }) => replicas + active > 0) ?? old.at(-1);
  if (newestOld !== undefined) targets.set(newestOld, targets.of(newestOld) + missing);
  // The new ones first: old ones that are lost are replaced for want of them.
  const within = withinRoom(rollout, targets, [current, ...old]);
  return new Map(
    [...within].map(([set, target]) => {
      const makesNone = set !== current && target.maxMachines <= set.existing;
      return [set, makesNone ? { ...target, maxMachines: 0 } : target];
    }),
  );
}

/** What may be there of the current set. */
function limitOf(rollout: Rollout, current: RolloutSet): number {
  const beside = roomBeside(current, rollout);
  // A stray is nobody's to take.
  if (rollout.type === 'Recreate' && beside > rollout.strays) return 0;
  return Math.max(0, mostMachines(rollout) - beside);
}

function targetsOf(rollout: Rollout, current: RolloutSet, old: readonly RolloutSet[]): Targets {
  const { replicas, type } = rollout;
  // What an old set loses it does not get back.
  const targets = new Targets(rollout, [...old, current], (set) => {
    if (set === current) return set.replicas;
    return isHeldBack(rollout, set) ? set.active : Math.min(set.replicas, set.active);
  });
  for (const set of targets.sets) if (keepsWhatIsRefused(rollout, set)) targets.keep(set);
  switch (type) {
    case 'Recreate': {
      for (const set of old) targets.set(set, 0);
      targets.lower(current, targets.of(current) - replicas);
      if (roomBeside(current, rollout) === rollout.strays)
        targets.set(current, Math.max(targets.of(current), replicas));
      return targets;
    }
    case 'OnDelete': {
      targets.lowerMarked();
      const surplus = targets.total - replicas;
      targets.lowerTogether(Math.max(0, surplus), rollout.goals);
      if (!targets.givesMarked(current)) targets.set(current, targets.of(current) + Math.max(0, -surplus));
      return targets;
    }
    case 'RollingUpdate': {
      targets.lowerMarked();
      if (rollout.goals !== undefined) {
        // Scaled down in its midst: first the sets come down together.
        targets.lowerTogether(Math.max(0, targets.total - mostMachines(rollout)), rollout.goals);
        return targets;
      }
      targets.lower(current, targets.of(current) - replicas);
      targets.lowerTogether(Math.max(0, targets.total - mostMachines(rollout)));
      takeOld(rollout, targets, current, old);
      const { mostNew = replicas } = rollout;
      const room = Math.min(replicas, mostNew, limitOf(rollout, current));
      if (!targets.givesMarked(current)) targets.set(current, Math.max(targets.of(current), room));
      return targets;
    }
  }
}

/**
 * The set was to take Machines, and may not any more: too few others are available by now. It keeps them where another old set has such as
 * are not available, so that those may be taken.
 */
function isHeldBack({ type, sets, ...rollout }: Rollout, set: RolloutSet): boolean {
  if (type !== 'RollingUpdate' || set.available < set.active) return false;
  const isIll = (one: RolloutSet): boolean => !one.isCurrent && !one.isDeleting && one.available < one.active;
  return sets.some(isIll) && sum(sets, ({ available }) => available) <= leastAvailable(rollout);
}

/**
 * The set was to take Machines, which the API server refuses. It keeps them for now where another set has marked ones to give: one set
 * gives at a time, and cluster-autoscaler would wait for as long as the refusal lasts.
 */
function keepsWhatIsRefused({ sets, ...rollout }: Rollout, set: RolloutSet): boolean {
  // With marked ones of its own it would be the first to give again.
  if (set.isRefused !== true || (set.first?.marked ?? 0) > 0) return false;
  const spare = sum(sets, ({ available }) => available) - leastAvailable(rollout);
  // Else nothing would come of it, and the set would be told so again at once.
  const canGive = ({ isDeleting, first: { marked, markedAvailable } = NONE }: RolloutSet): boolean =>
    !isDeleting && marked > 0 && (marked > markedAvailable || spare > 0);
  const isSurplus = sum(sets, ({ active }) => active) > rollout.replicas;
  return isSurplus && sets.some(canGive);
}

const NONE: FirstToGo = { marked: 0, markedAvailable: 0, failed: 0, pending: 0 };

/**
 * Takes old Machines, of the oldest template first. One that is not available may go without counting as unavailable; but no more
 * than new ones have come for: where all are not available, something else is wrong, and none of them is worth less than what
 * comes up no better.
 */
function takeOld(rollout: Rollout, targets: Targets, current: RolloutSet, old: readonly RolloutSet[]): void {
  const least = leastAvailable(rollout);
  const coming = targets.of(current) - targets.availableOf(current);
  const toClean = Math.max(0, targets.total - least - coming);
  const toTake = sum(old, (set) => targets.of(set)) - leastOld(rollout, targets.of(current));
  const spare = Math.max(0, targets.available - least);
  // Machines are taken of one of them only: see Targets.
  for (const set of old) targets.lower(set, Math.min(toTake, toClean + Math.min(targets.availableOf(set), spare)));
}

function withoutEarlyRaise(living: readonly RolloutSet[], wanted: ReadonlyMap<RolloutSet, Target>): RolloutPlan {
  const isLowered = ({ maxMachines }: RolloutSet, limit: number) => maxMachines === undefined || limit < maxMachines;
  const isEarly =
    living.some(({ hasAnswered }) => !hasAnswered) ||
    [...wanted].some(([set, { maxMachines }]) => isLowered(set, maxMachines));
  if (!isEarly) return new Map([...wanted].map(([{ uid }, target]) => [uid, target]));
  return new Map(
    [...wanted].map(([{ uid, maxMachines = Infinity }, target]) => [
      uid,
      { ...target, maxMachines: Math.min(target.maxMachines, maxMachines) },
    ]),
  );
}
