import type { RolloutPlan } from './plan-rollout.ts';
import type { Rollout, RolloutSet } from './rollout.ts';

/**
 * The plan, but that no Machine of an earlier template is taken before all of these are told that they are outdated: else the first pods that
 * are evicted may come to Nodes that go next. What is taken already is taken on.
 *
 * @param isTold whether a set has that in its spec
 */
export function markFirst(rollout: Rollout, plan: RolloutPlan, isTold: (set: RolloutSet) => boolean): RolloutPlan {
  // Of a Recreate all go, and there is no Node to come to.
  if (rollout.type !== 'RollingUpdate' || rollout.isHeld) return plan;
  const old = rollout.sets.filter(({ isCurrent, isDeleting, existing }) => !isCurrent && !isDeleting && existing > 0);
  const isBegun = old.some(({ existing, active, replicas }) => existing > active || active > replicas);
  if (isBegun || old.every((set) => isTold(set) && set.hasAnswered)) return plan;
  const kept = new Map(old.map((set) => [set.uid, set.active]));
  return new Map(
    [...plan].map(([uid, target]) => [uid, { ...target, replicas: Math.max(target.replicas, kept.get(uid) ?? 0) }]),
  );
}
