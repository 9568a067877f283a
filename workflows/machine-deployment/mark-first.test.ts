import { describe, expect, it } from '@jest/globals';
import { markFirst } from './mark-first.ts';
import { planRollout } from './plan-rollout.ts';
import type { Rollout } from './rollout.ts';
import { anOldSet, aRolloutSet } from './survey-for-tests.ts';

/** Three old machines, of which one may go at once. */
const rolling = (old: Parameters<typeof anOldSet>[0] = {}, changes: Partial<Rollout> = {}): Rollout => ({
  replicas: 3,
  type: 'RollingUpdate',
  bounds: { maxSurge: 0, maxUnavailable: 1 },
  isHeld: false,
  sets: [anOldSet({ maxMachines: 0, ...old }), aRolloutSet({ existing: 0, maxMachines: 0 })],
  strays: 0,
  ...changes,
});
/** @param told the sets that are told, or whether all are */
const replicasOfOld = (rollout: Rollout, told: boolean | readonly string[]) =>
  markFirst(rollout, planRollout(rollout), ({ uid }) => told === true || (told !== false && told.includes(uid))).get(
    'old',
  )?.replicas;
/** The same, and machines of one more old set. */
const rollingBeside = (
  other: Parameters<typeof anOldSet>[0],
  replicas: number,
  ...args: Parameters<typeof rolling>
) => {
  const { sets, ...rollout } = rolling(...args);
  return { ...rollout, replicas, sets: [...sets, anOldSet({ name: 'other', uid: 'other', maxMachines: 0, ...other })] };
};

describe('a machine of an earlier template', () => {
  it('is taken when all of them are told that they are outdated, and their sets have answered', () => {
    expect(replicasOfOld(rolling(), false)).toBe(3);
    expect(replicasOfOld(rolling({ hasAnswered: false }), true)).toBe(3);
    expect(replicasOfOld(rolling(), true)).toBe(2);
  });

  it('is taken on where that has begun, whoever is told meanwhile', () => {
    expect(replicasOfOld(rolling({ replicas: 2, hasAnswered: false }), false)).toBe(2);
    const going = rolling({ active: 2, replicas: 2 }, { bounds: { maxSurge: 0, maxUnavailable: 2 } });
    expect(replicasOfOld(going, false)).toBe(1);
    const bounds = { maxSurge: 0, maxUnavailable: 2 };
    expect(replicasOfOld(rollingBeside({ existing: 1 }, 4, { active: 2, replicas: 2 }, { bounds }), false)).toBe(1);
  });

  it('waits for all sets of such machines, and for no other set', () => {
    expect(replicasOfOld(rollingBeside({ existing: 1 }, 4), ['old'])).toBe(3);
    expect(replicasOfOld(rollingBeside({ existing: 1 }, 4), ['old', 'other'])).toBe(2);
    expect(replicasOfOld(rollingBeside({ existing: 0 }, 3), ['old'])).toBe(2);
    expect(replicasOfOld(rollingBeside({ existing: 1, isDeleting: true }, 3), ['old'])).toBe(2);
    const { sets, ...rollout } = rolling();
    const withNew = { ...rollout, replicas: 4, sets: [sets[0]!, aRolloutSet({ existing: 1 })] };
    expect(replicasOfOld(withNew, ['old'])).toBe(2);
  });

  it('waits for no word where all go, and where it stands still', () => {
    expect(replicasOfOld(rolling({}, { type: 'Recreate' }), false)).toBe(0);
    const held = rolling({ existing: 4 }, { isHeld: true });
    expect(replicasOfOld(held, false)).toBe(3);
  });
});
