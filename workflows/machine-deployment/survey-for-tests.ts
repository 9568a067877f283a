import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import type { Rollout, RolloutSet } from './rollout.ts';

/** The set of the newest template unless it is told otherwise: of as many Machines as it is to have, all available. */
export function aRolloutSet(changes: Partial<RolloutSet> = {}): RolloutSet {
  const { existing = 3, active = existing, available = active, replicas = active } = changes;
  return {
    name: 'new',
    uid: 'new',
    isCurrent: true,
    revision: 2,
    replicas,
    maxMachines: 4,
    hasAnswered: true,
    isDeleting: false,
    existing,
    active,
    available,
    ...changes,
  };
}

/** A set of an earlier template. */
export function anOldSet(changes: Partial<RolloutSet> = {}): RolloutSet {
  return aRolloutSet({ name: 'old', uid: 'old', isCurrent: false, revision: 1, ...changes });
}

/** A rolling update that moves, with a surge of three. @param sets by revision */
export function rolloutOf(replicas: number, sets: readonly RolloutSet[], changes: Partial<Rollout> = {}): Rollout {
  return {
    replicas,
    type: 'RollingUpdate',
    bounds: { maxSurge: 3, maxUnavailable: 0 },
    isHeld: false,
    sets,
    strays: 0,
    ...changes,
  };
}

/** A deployment of three Machines, all of the newest template and available; its counts are those of its sets. */
export function aSurvey(
  sets: readonly RolloutSet[] = [aRolloutSet()],
  changes: Partial<FoundRollout> = {},
): FoundRollout {
  const count = (numberOf: (set: RolloutSet) => number) => sets.reduce((all, set) => all + numberOf(set), 0);
  const available = count((set) => set.available);
  return {
    found: true,
    generation: 5,
    deleting: false,
    paused: false,
    rollout: {
      replicas: 3,
      type: 'RollingUpdate',
      bounds: { maxSurge: 1, maxUnavailable: 1 },
      isHeld: false,
      sets,
      strays: 0,
    },
    steps: { adopt: [], pauseFirst: false, orders: [], remove: [] },
    counts: {
      replicas: count((set) => set.active),
      updatedReplicas: count((set) => (set.isCurrent ? set.active : 0)),
      readyReplicas: available,
      availableReplicas: available,
      unavailableReplicas: Math.max(0, 3 - available),
      labelSelector: 'pool=p',
    },
    coming: { failed: [] },
    templateHash: 'hash-new',
    deadlineMs: 1_200_000,
    failureThreshold: 1,
    pauses: [],
    status: {},
    settings: DEFAULT_MACHINE_SETTINGS,
    ...changes,
  };
}
