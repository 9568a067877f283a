import { describe, expect, it } from '@jest/globals';
import { planHold } from './plan-hold.ts';
import type { Rollout, RolloutSet } from './rollout.ts';
import { anOldSet, aRolloutSet } from './survey-for-tests.ts';

/** Replicas and limit of each set, by name. @param sets by revision */
function planOf(replicas: number, sets: readonly RolloutSet[], changes: Partial<Rollout> = {}) {
  const bounds = { maxSurge: 0, maxUnavailable: 0 };
  const rollout: Rollout = { replicas, type: 'RollingUpdate', bounds, isHeld: true, sets, strays: 0, ...changes };
  const plan = planHold(
    rollout,
    sets.filter(({ isDeleting }) => !isDeleting),
  );
  return Object.fromEntries([...plan].map(([{ name }, target]) => [name, [target.replicas, target.maxMachines]]));
}
const SURGE = { bounds: { maxSurge: 3, maxUnavailable: 0 } };
const empty = (name: string) => anOldSet({ name, uid: name, existing: 0, maxMachines: 0 });
const fresh = aRolloutSet({ existing: 0, maxMachines: 0 });

describe('a rollout that stands still, with machines of one template', () => {
  it('has that set brought to its replicas, and no other one', () => {
    expect(planOf(5, [anOldSet({ existing: 3 }), empty('none'), fresh], SURGE)).toEqual({
      old: [5, 8],
      none: [0, 0],
      new: [0, 0],
    });
    expect(planOf(3, [anOldSet({ existing: 5 }), fresh])).toEqual({ old: [3, 3], new: [0, 0] });
  });

  it('has the newest one filled where there is none', () => {
    expect(planOf(5, [empty('old'), fresh], SURGE)).toEqual({ old: [0, 0], new: [5, 8] });
  });

  it('keeps no machine where none is wanted, whatever the surge', () => {
    // Machines are taken of one set at a time.
    const one = aRolloutSet({ existing: 1 });
    expect(planOf(0, [anOldSet({ existing: 1 }), one], SURGE)).toEqual({ old: [0, 0], new: [1, 0] });
    expect(planOf(0, [anOldSet({ existing: 0 }), one], SURGE)).toEqual({ old: [0, 0], new: [0, 0] });
  });

  it('leaves room for machines of a set that is going', () => {
    const going = anOldSet({ name: 'going', uid: 'going', existing: 2, active: 0, isDeleting: true });
    expect(planOf(3, [going, aRolloutSet()], SURGE)).toEqual({ new: [3, 4] });
  });
});

describe('a rollout that stands still, with machines of several templates', () => {
  it('has each set replace its own, as far as there is room beside what is there, the oldest first', () => {
    const old = anOldSet({ existing: 2, replicas: 3 });
    const current = aRolloutSet({ existing: 2, active: 1, replicas: 3 });
    expect(planOf(6, [old, current], { strays: 1 })).toEqual({ old: [3, 3], new: [3, 2] });
    expect(planOf(6, [old, current])).toEqual({ old: [3, 3], new: [3, 3] });
    expect(planOf(6, [empty('none'), old, current], SURGE)).toEqual({ none: [0, 0], old: [3, 3], new: [3, 4] });
  });

  it('has them come up to what was found where it is scaled up', () => {
    const sets = [anOldSet({ existing: 8 }), aRolloutSet({ existing: 5 })];
    expect(planOf(15, sets, { ...SURGE, raised: { old: 11, new: 7 } })).toEqual({ old: [11, 11], new: [7, 7] });
  });

  it('has none replaced that goes while there are more than may be, those included that are being deleted', () => {
    const sets = [anOldSet({ existing: 1 }), aRolloutSet({ existing: 3, active: 0, replicas: 1 })];
    expect(planOf(1, sets, { bounds: { maxSurge: 1, maxUnavailable: 0 } })).toEqual({ old: [1, 0], new: [1, 1] });
  });

  it('keeps what was to be taken, where there are no more machines than may be', () => {
    const sets = [anOldSet({ existing: 3, replicas: 1 }), aRolloutSet({ existing: 2 })];
    expect(planOf(5, sets)).toEqual({ old: [3, 3], new: [2, 2] });
  });

  it('goes on to take what is being taken, where there are more', () => {
    const sets = [anOldSet({ existing: 3, replicas: 1 }), aRolloutSet({ existing: 2, replicas: 1 })];
    expect(planOf(2, sets)).toEqual({ old: [1, 0], new: [1, 0] });
  });

  it('gives up what was not made yet, of the newest template first, before machines go', () => {
    const sets = [anOldSet({ existing: 2, replicas: 4 }), aRolloutSet({ existing: 2, replicas: 4 })];
    expect(planOf(5, sets)).toEqual({ old: [3, 3], new: [2, 2] });
    expect(planOf(3, sets)).toEqual({ old: [1, 1], new: [2, 1] });
  });

  it('gives up no more than what is too much', () => {
    const sets = [anOldSet({ existing: 2, replicas: 4 }), aRolloutSet({ existing: 2, replicas: 4 })];
    expect(planOf(3, sets, SURGE)).toEqual({ old: [4, 4], new: [2, 2] });
  });

  it('has marked machines go where replicas were lowered, also where as many may be there', () => {
    const first = { marked: 1, markedAvailable: 1, failed: 0, pending: 0 };
    const sets = [anOldSet({ existing: 3 }), aRolloutSet({ existing: 2, first })];
    expect(planOf(4, sets, SURGE)).toEqual({ old: [3, 3], new: [1, 2] });
  });

  it('scales its sets in proportion', () => {
    const sets = [anOldSet({ existing: 15 }), aRolloutSet({ existing: 5 })];
    expect(planOf(30, sets)).toEqual({ old: [23, 23], new: [7, 7] });
    expect(planOf(20, sets)).toEqual({ old: [15, 15], new: [5, 5] });
  });
});
