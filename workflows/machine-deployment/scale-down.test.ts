import { describe, expect, it } from '@jest/globals';
import { given } from '../../providers/given.ts';
import { planRollout } from './plan-rollout.ts';
import type { Rollout, RolloutSet } from './rollout.ts';
import { scaleDownOf, stillToGo, type ScaleDown } from './scale-down.ts';
import { anOldSet, aRolloutSet, rolloutOf } from './survey-for-tests.ts';

/** A rollout that stands still. @param sets by revision */
const held = (replicas: number, maxSurge: number, sets: readonly RolloutSet[]): Rollout =>
  rolloutOf(replicas, sets, { bounds: { maxSurge, maxUnavailable: 0 }, isHeld: true });

/** Both sets do what they are told, a machine between two looks, until nothing changes; answers how many each has then, and what was told. */
function scaled(from: Rollout, known?: ScaleDown): { readonly sizes: readonly number[]; readonly way: string[] } {
  let rollout = from;
  let scaleDown = known;
  const way: string[] = [];
  for (let look = 0; look < 40; look += 1) {
    scaleDown = scaleDownOf(rollout, scaleDown);
    const plan = planRollout({ ...rollout, ...given({ goals: scaleDown?.goals }) });
    const sets = rollout.sets.map((set) => {
      const replicas = plan.get(set.uid)?.replicas ?? set.replicas;
      const existing = Math.max(Math.min(set.existing, replicas), set.existing - 1);
      return { ...set, replicas, existing, active: existing, available: Math.min(set.available, existing) };
    });
    const told = sets.map(({ replicas }) => replicas).join(' ');
    if (way.at(-1) !== told) way.push(told);
    const sizes = sets.map(({ existing }) => existing);
    if (sizes.every((size, index) => size === rollout.sets[index]?.existing)) return { sizes, way };
    rollout = { ...rollout, sets };
  }
  throw new Error(`it comes to no end: ${way.join(', ')}`);
}

const sizes = (old: number, current: number, changes: Partial<RolloutSet> = {}) => [
  anOldSet({ existing: old, maxMachines: old, ...changes }),
  aRolloutSet({ existing: current, maxMachines: current }),
];

describe('a rollout that stands still, and is scaled down', () => {
  it.each([
    [4, 4, 12, 4, [6, 2]],
    [4, 2, 8, 2, [5, 1]],
    [9, 2, 15, 5, [8, 3]],
    [2, 1, 2, 8, [1, 2]],
    [4, 0, 4, 4, [2, 2]],
  ])('to %i machines and a surge of %i keeps its proportion: %i and %i', (replicas, surge, old, current, expected) => {
    expect(scaled(held(replicas, surge, sizes(old, current))).sizes).toEqual(expected);
  });

  it('does so whichever way it replaces them', () => {
    for (const type of ['Recreate', 'OnDelete'] as const) {
      expect(scaleDownOf({ ...held(4, 4, sizes(12, 4)), type }, undefined)?.goals).toEqual({ old: 6, new: 2 });
    }
  });

  it('takes machines of one set after the other', () => {
    expect(scaled(held(4, 4, sizes(12, 4))).way).toEqual(['6 4', '6 2']);
  });

  it('counts those that go first, in whichever set they are', () => {
    const first = { marked: 0, markedAvailable: 0, failed: 2, pending: 2 };
    const rollout = held(4, 4, sizes(12, 4, { first, available: 8 }));
    // Of the 12 that are well two thirds are old ones.
    expect(scaleDownOf(rollout, undefined)?.goals).toEqual({ old: 5, new: 3 });
  });

  it('goes by what it was coming down to where it is scaled down further meanwhile', () => {
    const known = { goals: { old: 6, new: 2 } };
    expect(scaled(held(0, 0, sizes(6, 4)), known).sizes).toEqual([0, 0]);
    expect(scaleDownOf(held(4, 0, sizes(6, 4)), known)).toEqual({ goals: { old: 3, new: 1 } });
    expect(scaled(held(4, 0, sizes(6, 4)), known).sizes).toEqual([3, 1]);
  });

  it('keeps what it was coming down to from look to look', () => {
    const known = { goals: { old: 6, new: 2 } };
    expect(scaleDownOf(held(4, 4, sizes(10, 4)), known)).toEqual(known);
    expect(scaleDownOf(held(4, 4, sizes(6, 4)), known)).toEqual(known);
  });

  it('counts of a set whose machines are being taken those that stay', () => {
    expect(scaleDownOf(held(4, 2, sizes(12, 4, { replicas: 4 })), undefined)?.goals).toEqual({ old: 3, new: 3 });
  });

  it('leaves a set alone that is being deleted', () => {
    expect(scaleDownOf(held(4, 4, sizes(12, 4, { isDeleting: true })), undefined)).toBeUndefined();
  });

  it('begins anew with the sets that have machines then', () => {
    const known = { goals: { old: 6, another: 2 } };
    expect(scaleDownOf(held(4, 4, sizes(12, 4)), known)?.goals).toEqual({ old: 6, new: 2 });
  });

  it('is forgotten when there are not too many any more, and where only one set has machines', () => {
    const known = { goals: { old: 6, new: 2 } };
    expect(scaleDownOf(held(4, 4, sizes(6, 2)), known)).toBeUndefined();
    expect(scaleDownOf(held(4, 4, sizes(12, 0)), known)).toBeUndefined();
  });
});

it('those that a set gives already are the first to go of it', () => {
  const set = aRolloutSet({ existing: 8, first: { marked: 1, markedAvailable: 1, failed: 1, pending: 3 } });
  expect([8, 7, 6, 5, 2, 0].map((size) => Object.values(stillToGo(set, size)))).toEqual([
    [1, 1, 3],
    [0, 1, 3],
    [0, 0, 3],
    [0, 0, 2],
    [0, 0, 0],
    [0, 0, 0],
  ]);
});

describe('a rollout that moves, and is scaled down', () => {
  const moving = (changes: Partial<Rollout> = {}) => ({ ...held(4, 4, sizes(12, 4)), isHeld: false, ...changes });

  it('comes down in the same proportion first, one set after the other, and then goes on', () => {
    const { way, sizes: end } = scaled(moving());
    expect(way.slice(0, 2)).toEqual(['6 4', '6 2']);
    // No new one is made here: it takes old ones as long as enough are left.
    expect(end).toEqual([2, 2]);
  });

  it('does so where machines are replaced when somebody deletes them', () => {
    expect(scaled(moving({ type: 'OnDelete', bounds: { maxSurge: 0, maxUnavailable: 0 } })).sizes).toEqual([3, 1]);
  });

  it('takes no available machine for that where too few would be left', () => {
    const sets = [
      anOldSet({ existing: 9, maxMachines: 9 }),
      aRolloutSet({ existing: 6, available: 0, maxMachines: 6 }),
    ];
    const rollout = { ...held(6, 3, sets), isHeld: false };
    const { goals } = scaleDownOf(rollout, undefined) ?? { goals: {} };
    expect(goals).toEqual({ old: 5, new: 4 });
    expect(planRollout({ ...rollout, goals }).get('old')?.replicas).toBe(6);
  });

  it('counts those that go first once, also where their set has not done yet what it was told', () => {
    const first = { marked: 0, markedAvailable: 0, failed: 0, pending: 3 };
    const of = (replicas: number, changes: Partial<RolloutSet> = {}) => {
      const current = aRolloutSet({ existing: 6, available: 3, maxMachines: 6, first, ...changes });
      return { ...held(replicas, 3, [anOldSet({ existing: 7, maxMachines: 7 }), current]), isHeld: false };
    };
    const goals = { old: 6, new: 2 };
    const told = { replicas: 2, hasAnswered: false };
    expect(scaleDownOf(of(5), undefined)).toEqual({ goals });
    expect(planRollout({ ...of(5), goals }).get('new')?.replicas).toBe(2);
    for (const known of [{ goals }, undefined]) expect(scaleDownOf(of(5, told), known)).toEqual({ goals });
    const again = planRollout({ ...of(5, told), goals });
    expect([again.get('old')?.replicas, again.get('new')?.replicas]).toEqual([7, 2]);
    expect(scaleDownOf(of(2, told), { goals })).toEqual({ goals: { old: 4, new: 1 } });
  });

  it('does not where it recreates, or a step says how many are new', () => {
    expect(scaleDownOf(moving({ type: 'Recreate' }), undefined)).toBeUndefined();
    expect(scaleDownOf(moving({ mostNew: 1 }), undefined)).toBeUndefined();
  });
});
