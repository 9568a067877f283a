import { mostMachines, roomBeside, sum, type Rollout, type RolloutSet, type Target } from './rollout.ts';
import { Targets, withinRoom } from './targets.ts';

/**
 * A rollout that stands still, also while it is scaled up: each set keeps the Machines it has, and replaces those that go. Where there are
 * fewer than replicas in all, or more than replicas and maxSurge, the sets are scaled in proportion.
 *
 * @param living those that are not being deleted, by revision
 */
export function planHold(rollout: Rollout, living: readonly RolloutSet[]): Map<RolloutSet, Target> {
  const filled = living.filter(({ replicas, active }) => replicas + active > 0);
  const alone = filled.length === 0 ? living.at(-1) : filled.length === 1 ? filled[0] : undefined;
  if (alone !== undefined) return keepOne(rollout, living, alone);
  const limits = withinRoom(rollout, keepAll(rollout, filled), filled);
  const empty = living.filter((set) => !filled.includes(set)).map((set) => [set, NOTHING] as const);
  return new Map([...limits, ...empty]);
}

const NOTHING: Target = { replicas: 0, maxMachines: 0 };

function keepOne(rollout: Rollout, living: readonly RolloutSet[], one: RolloutSet): Map<RolloutSet, Target> {
  const { replicas } = rollout;
  const targets = new Targets(rollout, [one], (set) => Math.max(replicas, set.replicas));
  targets.lower(one, targets.of(one) - replicas);
  const limit = Math.max(0, mostMachines(rollout) - roomBeside(one, rollout));
  const others = living.filter((set) => set !== one).map((set) => [set, NOTHING] as const);
  return new Map([[one, { replicas: targets.of(one), maxMachines: limit }], ...others]);
}

function keepAll(rollout: Rollout, filled: readonly RolloutSet[]): Targets {
  const most = mostMachines(rollout);
  const active = sum(filled, (set) => set.active);
  // What was to be taken when it came to stand still stays.
  const stays = (set: RolloutSet) =>
    active > most ? set.replicas : Math.max(set.active, rollout.raised?.[set.uid] ?? set.replicas);
  const targets = new Targets(rollout, filled, stays);
  targets.lowerMarked();
  lowerUnfilledFirst(targets, Math.max(0, targets.total - most), rollout.goals);
  targets.raiseTogether(Math.max(0, rollout.replicas - targets.total));
  return targets;
}

/** What was not made yet is given up first, of the newest template; then Machines go. */
function lowerUnfilledFirst(targets: Targets, surplus: number, goals: Rollout['goals']): void {
  let left = surplus;
  for (const set of targets.sets.toReversed()) {
    left -= targets.lower(set, Math.min(left, Math.max(0, targets.of(set) - set.active)));
  }
  targets.lowerTogether(left, goals);
}
