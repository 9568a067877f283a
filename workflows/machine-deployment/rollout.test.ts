import { describe, expect, it } from '@jest/globals';
import { leastAvailable, leastOld, mostMachines, roomBeside, roomOf } from './rollout.ts';
import { anOldSet, aRolloutSet, aSurvey } from './survey-for-tests.ts';

describe('the numbers of a rollout', () => {
  it('are bound by replicas, maxSurge and maxUnavailable', () => {
    const of = { replicas: 3, bounds: { maxSurge: 2, maxUnavailable: 1 } };
    expect([mostMachines(of), leastAvailable(of)]).toEqual([5, 2]);
    expect(leastAvailable({ ...of, bounds: { maxSurge: 2, maxUnavailable: 4 } })).toBe(0);
    expect(mostMachines({ ...of, replicas: 0 })).toBe(0);
    // As much as maxMachines of a set can say.
    expect(mostMachines({ ...of, bounds: { maxSurge: 2_147_483_647, maxUnavailable: 0 } })).toBe(2_147_483_647);
  });

  it('leave old machines in place by the step that it is at, or as many as there are new ones', () => {
    expect([leastOld({ replicas: 5, mostNew: 2 }, 1), leastOld({ replicas: 5, mostNew: 2 }, 3)]).toEqual([3, 2]);
    expect([leastOld({ replicas: 5 }, 1), leastOld({ replicas: 5, mostNew: 2 }, 7)]).toEqual([0, 0]);
  });
});

describe('how many machines of a set there may come to be', () => {
  it('is its limit, or what there is where that is more', () => {
    expect(roomOf(aRolloutSet({ existing: 3, maxMachines: 4 }))).toBe(4);
    expect(roomOf(aRolloutSet({ existing: 3, maxMachines: 2 }))).toBe(3);
  });

  it('are its replicas beside those that are being deleted, where it has no limit', () => {
    const { maxMachines: _none, ...free } = aRolloutSet({ existing: 3, active: 2, replicas: 4 });
    expect(roomOf(free)).toBe(5);
  });

  it('is left for all others, those that are going as they are, and those of no set', () => {
    const current = aRolloutSet({ maxMachines: 9 });
    const old = anOldSet({ existing: 1, maxMachines: 2 });
    const going = anOldSet({ name: 'going', uid: 'going', existing: 2, maxMachines: 9, isDeleting: true });
    const { rollout } = aSurvey([old, going, current]);
    expect(roomBeside(current, { ...rollout, strays: 1 })).toBe(5);
  });
});
