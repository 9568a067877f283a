import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { RolloutType } from '../../k8s/model/machine-deployment.ts';
import { DeploymentModel, STEPS, type Step } from './deployment-model-for-tests.ts';
import { planRollout } from './plan-rollout.ts';
import type { Rollout, RolloutSet } from './rollout.ts';
import { aRolloutSet, rolloutOf } from './survey-for-tests.ts';

function setOf(name: string, changes: Partial<RolloutSet>): RolloutSet {
  const isCurrent = name === 'new';
  const revision = isCurrent ? 9 : Number.parseInt(name.slice(3), 10);
  return aRolloutSet({ name, uid: name, isCurrent, revision, maxMachines: 0, existing: 0, ...changes });
}

/** Replicas and limit, by name. */
const planOf = (rollout: Rollout) =>
  Object.fromEntries(
    [...planRollout(rollout)].map(([uid, { replicas, maxMachines }]) => [uid, [replicas, maxMachines]]),
  );

describe('a rolling update', () => {
  it('begins with as many new machines as may be beside the old ones', () => {
    const sets = [setOf('old1', { existing: 20 }), setOf('new', {})];
    expect(planOf(rolloutOf(20, sets))).toEqual({ old1: [20, 0], new: [3, 3] });
  });

  it('raises no limit while a set has not answered to what it was told last, nor with one that is lowered', () => {
    const answering = [setOf('old1', { existing: 20, hasAnswered: false }), setOf('new', {})];
    expect(planOf(rolloutOf(20, answering))).toEqual({ old1: [20, 0], new: [3, 0] });
    const lowered = [setOf('old1', { existing: 20, maxMachines: 23 }), setOf('new', {})];
    expect(planOf(rolloutOf(20, lowered))).toEqual({ old1: [20, 0], new: [0, 0] });
  });

  it('takes as many old ones as others are available for', () => {
    const sets = [setOf('old1', { existing: 20 }), setOf('new', { existing: 3, available: 2, maxMachines: 3 })];
    expect(planOf(rolloutOf(20, sets))).toEqual({ old1: [18, 0], new: [3, 3] });
  });

  it('makes room for new ones only as old ones are gone', () => {
    const sets = [
      setOf('old1', { existing: 20, active: 18 }),
      setOf('new', { existing: 3, available: 2, maxMachines: 3 }),
    ];
    expect(planOf(rolloutOf(20, sets))).toEqual({ old1: [18, 0], new: [3, 3] });
    const gone = [setOf('old1', { existing: 18 }), setOf('new', { existing: 3, available: 2, maxMachines: 3 })];
    expect(planOf(rolloutOf(20, gone))).toEqual({ old1: [18, 0], new: [5, 5] });
  });

  it('takes machines of one set at a time, the oldest first', () => {
    const sets = [
      setOf('old1', { existing: 1 }),
      setOf('old2', { existing: 19 }),
      setOf('new', { existing: 3, maxMachines: 3 }),
    ];
    expect(planOf(rolloutOf(20, sets))).toEqual({ old1: [0, 0], old2: [19, 0], new: [3, 3] });
    const pending = [setOf('old1', { existing: 1, replicas: 0 }), ...sets.slice(1)];
    expect(planOf(rolloutOf(20, pending))).toEqual({ old1: [0, 0], old2: [19, 0], new: [3, 3] });
  });

  it('takes a machine that is not available of another set, where the one that was told to may take none of its own by now', () => {
    const bounds = { maxSurge: 1, maxUnavailable: 0 };
    const sets = (changes: Partial<RolloutSet>) => [
      setOf('old1', { existing: 1, replicas: 0, ...changes }),
      setOf('old2', { existing: 1, available: 0 }),
      setOf('new', { existing: 1, replicas: 1, maxMachines: 1 }),
    ];
    expect(planOf(rolloutOf(2, sets({}), { bounds }))).toEqual({ old1: [1, 0], old2: [1, 0], new: [1, 1] });
    // It has to answer first: what it was told before may be under way.
    const told = sets({ replicas: 1, hasAnswered: false });
    expect(planOf(rolloutOf(2, told, { bounds }))).toEqual({ old1: [1, 0], old2: [1, 0], new: [1, 1] });
    expect(planOf(rolloutOf(2, sets({ replicas: 1 }), { bounds }))).toEqual({
      old1: [1, 0],
      old2: [0, 0],
      new: [1, 1],
    });
  });

  it('keeps none of the set that was told to take one where another one is as it should be, may go, or is going itself', () => {
    const bounds = { maxSurge: 1, maxUnavailable: 0 };
    const old1 = (told: object, old2: object, more: Partial<Rollout> = {}, fresh: object = {}) => {
      const sets = [
        setOf('old1', { existing: 2, replicas: 1, ...told }),
        setOf('old2', { existing: 1, available: 0, ...old2 }),
        setOf('new', { existing: 1, maxMachines: 1, ...fresh }),
      ];
      return planOf(rolloutOf(3, sets, { bounds, ...more }))['old1'];
    };
    expect(old1({}, {})).toEqual([2, 0]);
    expect(old1({ available: 1 }, {})).toEqual([1, 0]);
    expect(old1({ available: 1 }, {}, {}, { available: 0 })).toEqual([1, 0]);
    expect(old1({}, { available: 1 })).toEqual([1, 0]);
    expect(old1({}, { isDeleting: true })).toEqual([1, 0]);
    expect(old1({ replicas: 0 }, {}, { replicas: 2 })).toEqual([0, 0]);
    expect(old1({}, {}, { type: 'OnDelete' })).toEqual([1, 0]);
  });

  it('lets old ones go that are not available, as many as new ones have come for', () => {
    const broken = (available: number, fresh: number) =>
      planOf(
        rolloutOf(
          3,
          [
            setOf('old1', { existing: 3, available }),
            setOf('new', { existing: 1, available: fresh, replicas: 1, maxMachines: 1 }),
          ],
          { bounds: { maxSurge: 1, maxUnavailable: 0 } },
        ),
      );
    expect(broken(2, 1)).toMatchObject({ old1: [2, 0] });
    expect(broken(0, 1)).toMatchObject({ old1: [2, 0] });
    // All of them are ill, and the new one is no better: none goes.
    expect(broken(0, 0)).toMatchObject({ old1: [3, 0] });
  });

  it('does not give an old set back what it lost', () => {
    const sets = [
      setOf('old1', { existing: 19, replicas: 20 }),
      setOf('new', { existing: 3, available: 0, maxMachines: 3 }),
    ];
    expect(planOf(rolloutOf(20, sets))).toEqual({ old1: [19, 0], new: [4, 4] });
  });

  it('scales down together with what it may take of the old ones', () => {
    const sets = [setOf('old1', { existing: 15 }), setOf('new', { existing: 5, maxMachines: 8 })];
    expect(planOf(rolloutOf(10, sets, { bounds: { maxSurge: 0, maxUnavailable: 1 } }))).toEqual({
      old1: [4, 0],
      new: [5, 0],
    });
  });

  it('comes down to what was found where it is scaled down in its midst, before it goes on', () => {
    const sets = [setOf('old1', { existing: 12 }), setOf('new', { existing: 4, maxMachines: 4 })];
    const bounds = { maxSurge: 4, maxUnavailable: 0 };
    const goals = { old1: 6, new: 2 };
    expect(planOf(rolloutOf(4, sets, { bounds, goals }))).toEqual({ old1: [6, 0], new: [4, 0] });
    const next = [setOf('old1', { existing: 6 }), sets[1]!];
    expect(planOf(rolloutOf(4, next, { bounds, goals }))).toEqual({ old1: [6, 0], new: [2, 2] });
    const first = { marked: 0, markedAvailable: 0, failed: 2, pending: 0 };
    const failed = [setOf('old1', { existing: 6 }), setOf('new', { existing: 3, available: 1, maxMachines: 3, first })];
    expect(planOf(rolloutOf(4, failed, { bounds, goals }))).toEqual({ old1: [6, 0], new: [2, 2] });
  });

  it('comes up to what was found where it is scaled up in its midst, before it goes on', () => {
    const sets = [setOf('old1', { existing: 8 }), setOf('new', { existing: 5, maxMachines: 5 })];
    expect(planOf(rolloutOf(15, sets, { raised: { old1: 11, new: 7 } }))).toEqual({ old1: [11, 11], new: [7, 7] });
  });

  it('counts machines that no set has', () => {
    const sets = [setOf('old1', { existing: 20 }), setOf('new', {})];
    expect(planOf(rolloutOf(20, sets, { strays: 2 }))).toMatchObject({ new: [1, 1] });
  });

  it('takes nothing before there is a set of the new template', () => {
    expect(planOf(rolloutOf(20, [setOf('old1', { existing: 20 })]))).toEqual({});
  });
});

describe('a step that lets so many new machines come', () => {
  const canary = { mostNew: 1 } as const;

  it('makes no more, and takes no more old ones than they replace', () => {
    expect(planOf(rolloutOf(3, [setOf('old1', { existing: 3 }), setOf('new', {})], canary))).toEqual({
      old1: [3, 0],
      new: [1, 1],
    });
    const come = [setOf('old1', { existing: 3 }), setOf('new', { existing: 1, maxMachines: 1 })];
    expect(planOf(rolloutOf(3, come, canary))).toEqual({ old1: [2, 0], new: [1, 1] });
    const done = [setOf('old1', { existing: 2 }), setOf('new', { existing: 1, maxMachines: 1 })];
    expect(planOf(rolloutOf(3, done, canary))).toEqual({ old1: [2, 0], new: [1, 1] });
  });

  it('gives the newest of the old sets back what it loses', () => {
    const sets = [setOf('old1', { existing: 1, replicas: 2 }), setOf('new', { existing: 1, maxMachines: 1 })];
    expect(planOf(rolloutOf(3, sets, canary))).toEqual({ old1: [2, 2], new: [1, 1] });
  });

  it('has what is scaled up beyond it made by the newest of the old sets, within the surge', () => {
    const sets = [setOf('old1', { existing: 2 }), setOf('new', { existing: 1, maxMachines: 1 })];
    expect(planOf(rolloutOf(6, sets, canary))).toEqual({ old1: [5, 5], new: [1, 1] });
  });

  it('takes none of the new ones that are more already', () => {
    const sets = [setOf('old1', { existing: 1 }), setOf('new', { existing: 2, maxMachines: 2 })];
    expect(planOf(rolloutOf(3, sets, canary))).toEqual({ old1: [1, 0], new: [2, 2] });
  });
});

describe('a rolling update takes old machines', () => {
  const one = { bounds: { maxSurge: 1, maxUnavailable: 0 } };

  it('of the oldest template first, in whatever order the sets are', () => {
    const current = setOf('new', { existing: 3, maxMachines: 3 });
    const sets = [current, setOf('old2', { existing: 19 }), setOf('old1', { existing: 1 })];
    expect(planOf(rolloutOf(20, sets))).toEqual({ old1: [0, 0], old2: [19, 0], new: [3, 3] });
  });

  it('not in place of new ones that come up no better, though some of the old ones are ill', () => {
    const sets = [
      setOf('old1', { existing: 3, available: 1 }),
      setOf('new', { existing: 1, available: 0, maxMachines: 1 }),
    ];
    expect(planOf(rolloutOf(3, sets, one))).toEqual({ old1: [3, 0], new: [1, 1] });
  });

  it('after those of all templates that go first, where there are more than may be', () => {
    const failed = { marked: 0, markedAvailable: 0, failed: 1, pending: 0 };
    const sets = [
      setOf('old1', { existing: 2 }),
      setOf('new', { existing: 2, available: 1, maxMachines: 2, first: failed }),
    ];
    expect(planOf(rolloutOf(3, sets, { bounds: { maxSurge: 0, maxUnavailable: 1 } }))).toEqual({
      old1: [2, 0],
      new: [1, 1],
    });
  });

  it('and wants no fewer new ones than it did, while old ones that go leave no room for them', () => {
    const sets = [
      setOf('old1', { existing: 2, active: 0 }),
      setOf('new', { existing: 3, replicas: 5, maxMachines: 3 }),
    ];
    expect(planOf(rolloutOf(5, sets, { bounds: { maxSurge: 0, maxUnavailable: 0 } }))).toEqual({
      old1: [0, 0],
      new: [5, 3],
    });
  });
});

describe('a step of a rollout', () => {
  it('has old machines that were lost made again, of the newest of their templates, where there is room', () => {
    const sets = [
      setOf('old1', { existing: 1 }),
      setOf('old2', { existing: 2, active: 1 }),
      setOf('new', { existing: 1, maxMachines: 1 }),
    ];
    const step = { mostNew: 1, bounds: { maxSurge: 1, maxUnavailable: 0 } };
    const told = sets.map((set) => (set.name === 'old2' ? { ...set, maxMachines: 3 } : set));
    expect(planOf(rolloutOf(4, told, step))).toEqual({ old1: [1, 0], old2: [2, 3], new: [1, 1] });
    expect(planOf(rolloutOf(4, sets, { ...step, strays: 1 }))).toEqual({ old1: [1, 0], old2: [2, 0], new: [1, 1] });
  });

  it('has none replaced that goes while there are more than may be, those included that are being deleted', () => {
    const sets = [
      setOf('old1', { existing: 2 }),
      setOf('new', { existing: 3, active: 0, replicas: 2, maxMachines: 3 }),
    ];
    const step = { mostNew: 2, bounds: { maxSurge: 0, maxUnavailable: 1 } };
    expect(planOf(rolloutOf(3, sets, step))).toMatchObject({ new: [1, 1] });
  });

  it('has them made of a template that machines are left of, and not of a newer one that was given up', () => {
    const sets = [
      setOf('old1', { existing: 2, replicas: 3, maxMachines: 3 }),
      setOf('old2', {}),
      setOf('new', { existing: 1, maxMachines: 1 }),
    ];
    const step = { mostNew: 1, bounds: { maxSurge: 1, maxUnavailable: 0 } };
    expect(planOf(rolloutOf(4, sets, step))).toEqual({ old1: [3, 3], old2: [0, 0], new: [1, 1] });
    const told = [setOf('old1', { existing: 2, maxMachines: 3 }), ...sets.slice(1)];
    expect(planOf(rolloutOf(4, told, step))).toEqual({ old1: [3, 3], old2: [0, 0], new: [1, 1] });
    // Where all of them were, of the newest.
    const lost = [setOf('old1', {}), setOf('old2', { maxMachines: 3 }), ...sets.slice(2)];
    expect(planOf(rolloutOf(4, lost, step))).toEqual({ old1: [0, 0], old2: [3, 3], new: [1, 1] });
  });

  it('makes the new ones first', () => {
    const sets = [
      setOf('old1', { existing: 1, maxMachines: 2 }),
      setOf('new', { existing: 1, replicas: 2, maxMachines: 2 }),
    ];
    const step = { mostNew: 2, strays: 1, bounds: { maxSurge: 0, maxUnavailable: 0 } };
    expect(planOf(rolloutOf(4, sets, step))).toEqual({ old1: [2, 0], new: [2, 2] });
  });

  it('takes no more old ones than it makes new ones', () => {
    const sets = [setOf('old1', { existing: 4 }), setOf('new', { existing: 1, maxMachines: 1 })];
    const step = { mostNew: 1, bounds: { maxSurge: 1, maxUnavailable: 3 } };
    expect(planOf(rolloutOf(4, sets, step))).toMatchObject({ old1: [3, 0] });
    const two = [setOf('old1', { existing: 2 }), setOf('old2', { existing: 2 }), sets[1]!];
    expect(planOf(rolloutOf(4, two, step))).toMatchObject({ old1: [1, 0], old2: [2, 0] });
  });
});

describe('Recreate', () => {
  const type = { type: 'Recreate', bounds: { maxSurge: 0, maxUnavailable: 3 } } as const;

  it('takes all old ones, and makes new ones when the last is gone', () => {
    const sets = [setOf('old1', { existing: 3 }), setOf('new', {})];
    expect(planOf(rolloutOf(3, sets, type))).toEqual({ old1: [0, 0], new: [0, 0] });
    const going = [setOf('old1', { existing: 1, active: 0 }), setOf('new', {})];
    expect(planOf(rolloutOf(3, going, type))).toEqual({ old1: [0, 0], new: [0, 0] });
    const gone = [setOf('old1', {}), setOf('new', {})];
    expect(planOf(rolloutOf(3, gone, type))).toEqual({ old1: [0, 0], new: [3, 3] });
  });

  it('waits for no machine that none of its sets has, and leaves it its place', () => {
    const stray = { ...type, strays: 1 };
    const sets = [setOf('old1', { existing: 1, active: 0 }), setOf('new', {})];
    expect(planOf(rolloutOf(3, sets, stray))).toEqual({ old1: [0, 0], new: [0, 0] });
    const gone = [setOf('old1', {}), setOf('new', {})];
    expect(planOf(rolloutOf(3, gone, stray))).toEqual({ old1: [0, 0], new: [3, 2] });
  });

  it('keeps new ones that are there while old ones go, and takes those that are too many', () => {
    const sets = [setOf('old1', { existing: 1 }), setOf('new', { existing: 2, maxMachines: 0 })];
    expect(planOf(rolloutOf(3, sets, type))).toEqual({ old1: [0, 0], new: [2, 0] });
    const many = [setOf('old1', {}), setOf('new', { existing: 5, maxMachines: 3 })];
    expect(planOf(rolloutOf(3, many, type))).toEqual({ old1: [0, 0], new: [3, 3] });
  });
});

describe('OnDelete', () => {
  const type = { type: 'OnDelete', bounds: { maxSurge: 1, maxUnavailable: 0 } } as const;

  it('takes none, and replaces what somebody deletes', () => {
    const sets = [setOf('old1', { existing: 3 }), setOf('new', {})];
    expect(planOf(rolloutOf(3, sets, type))).toEqual({ old1: [3, 0], new: [0, 1] });
    const deleted = [setOf('old1', { existing: 3, active: 2, replicas: 3 }), setOf('new', { maxMachines: 1 })];
    expect(planOf(rolloutOf(3, deleted, type))).toEqual({ old1: [2, 0], new: [1, 1] });
  });

  it('takes marked ones where replicas were lowered, and makes no other one before these are on their way', () => {
    const first = { marked: 1, markedAvailable: 1, failed: 0, pending: 0 };
    const sets = [setOf('old1', { existing: 2 }), setOf('new', { existing: 2, maxMachines: 2, first })];
    expect(planOf(rolloutOf(3, sets, type))).toMatchObject({ old1: [2, 0], new: [1, 2] });
    const going = [setOf('old1', { existing: 1 }), setOf('new', { existing: 3, replicas: 2, maxMachines: 3, first })];
    expect(planOf(rolloutOf(3, going, type))).toMatchObject({ new: [2, 3] });
    const fewer = [setOf('old1', {}), setOf('new', { existing: 4, replicas: 2, maxMachines: 4, first })];
    expect(planOf(rolloutOf(3, fewer, type))).toMatchObject({ new: [2, 4] });
  });
});

describe('a paused rollout', () => {
  const held = { isHeld: true } as const;

  it('leaves the sets as they are, and lets each replace its own', () => {
    const sets = [
      setOf('old1', { existing: 18, active: 17, replicas: 18 }),
      setOf('new', { existing: 3, maxMachines: 5 }),
    ];
    expect(planOf(rolloutOf(20, sets, held))).toEqual({ old1: [18, 0], new: [3, 3] });
    const answered = [
      setOf('old1', { existing: 18, active: 17, replicas: 18 }),
      setOf('new', { existing: 3, maxMachines: 3 }),
    ];
    expect(planOf(rolloutOf(20, answered, held))).toEqual({ old1: [18, 19], new: [3, 3] });
  });

  it('keeps what was to be taken', () => {
    const sets = [setOf('old1', { existing: 20, replicas: 17 }), setOf('new', { existing: 3, maxMachines: 3 })];
    expect(planOf(rolloutOf(20, sets, held))).toEqual({ old1: [20, 20], new: [3, 3] });
  });

  it('is scaled in proportion, down to replicas and maxSurge, and up to replicas', () => {
    const sets = [setOf('old1', { existing: 15, maxMachines: 15 }), setOf('new', { existing: 5, maxMachines: 5 })];
    expect(planOf(rolloutOf(30, sets, held))).toMatchObject({ old1: [23, 23], new: [7, 7] });
    expect(planOf(rolloutOf(9, sets, held))).toMatchObject({ old1: [9, 7] });
  });

  it('scales the only set that has machines', () => {
    expect(planOf(rolloutOf(5, [setOf('old1', { existing: 3, maxMachines: 6 })], held))).toEqual({ old1: [5, 8] });
  });
});

describe('machines that cluster-autoscaler marked before it lowered replicas', () => {
  const MARKED = { marked: 1, markedAvailable: 1, failed: 0, pending: 0 };
  const bounds = { maxSurge: 1, maxUnavailable: 0 };

  it('go in mid-roll from the set that they are in, also from that of the new template', () => {
    const old = setOf('old1', { existing: 3 });
    const fresh = { existing: 2, maxMachines: 2, first: MARKED };
    expect(planOf(rolloutOf(4, [old, setOf('new', fresh)], { bounds }))).toEqual({ old1: [3, 0], new: [1, 2] });
    // Until it is on its way no other is wanted.
    const told = setOf('new', { ...fresh, replicas: 1 });
    expect(planOf(rolloutOf(4, [old, told], { bounds }))).toEqual({ old1: [3, 0], new: [1, 2] });
    const going = setOf('new', { existing: 2, active: 1, replicas: 1, maxMachines: 2 });
    expect(planOf(rolloutOf(4, [old, going], { bounds }))).toEqual({ old1: [3, 0], new: [2, 2] });
    // Somebody wants as many as there are again.
    expect(planOf(rolloutOf(5, [old, told], { bounds }))).toMatchObject({ new: [3, 3] });
  });

  it('go from a paused rollout, in whichever set, where nothing else would', () => {
    const sets = (first: object) => [
      setOf('old1', { existing: 2, maxMachines: 2, ...first }),
      setOf('new', { existing: 2, maxMachines: 2 }),
    ];
    const held = { isHeld: true, bounds };
    expect(planOf(rolloutOf(3, sets({ first: MARKED }), held))).toMatchObject({ old1: [1, 2], new: [2, 2] });
    expect(planOf(rolloutOf(3, sets({}), held))).toMatchObject({ old1: [2, 2], new: [2, 2] });
  });

  it('stay where there are not more than replicas, or not enough others are available', () => {
    const sets = (available: number) => [
      setOf('old1', { existing: 4, first: MARKED }),
      setOf('new', { existing: 1, available, maxMachines: 1 }),
    ];
    expect(planOf(rolloutOf(5, sets(1), { bounds }))).toMatchObject({ old1: [4, 0] });
    expect(planOf(rolloutOf(4, sets(0), { bounds }))).toMatchObject({ old1: [4, 0] });
    expect(planOf(rolloutOf(4, sets(1), { bounds }))).toMatchObject({ old1: [3, 0] });
  });

  it('go also while the API server refuses what another set was to take, which keeps that until they are on their way', () => {
    const refused = { existing: 3, replicas: 2, isRefused: true };
    const fresh = { existing: 2, maxMachines: 2, first: MARKED };
    const sets = (old: object, more: object = {}) => [setOf('old1', old), setOf('new', { ...fresh, ...more })];
    expect(planOf(rolloutOf(4, sets(refused), { bounds }))).toMatchObject({ old1: [3, 0], new: [2, 2] });
    // It has answered to that: nothing is refused any more, as nothing is asked.
    expect(planOf(rolloutOf(4, sets({ existing: 3 }), { bounds }))).toMatchObject({ old1: [3, 0], new: [1, 2] });
    for (const [old, more] of [
      [refused, { first: undefined }],
      [refused, { available: 0 }],
      [refused, { available: 1 }],
      [{ ...refused, isRefused: false }, {}],
    ] as const) {
      expect(planOf(rolloutOf(4, sets(old, more), { bounds }))).toMatchObject({ old1: [2, 0] });
    }
    expect(planOf(rolloutOf(5, sets(refused), { bounds }))).toMatchObject({ old1: [2, 0] });
    // Not more than are wanted: no marked one goes, whatever may be missing.
    const loose = { maxSurge: 1, maxUnavailable: 1 };
    expect(planOf(rolloutOf(5, sets(refused), { bounds: loose }))).toMatchObject({ old1: [2, 0] });
    // One that is not available goes whatever is left of the others.
    const ill = { available: 1, first: { ...MARKED, markedAvailable: 0 } };
    expect(planOf(rolloutOf(4, sets(refused, ill), { bounds }))).toMatchObject({ old1: [3, 0] });
    // It has marked ones itself, which would be the first to go again; or they are of a set that goes itself.
    const own = { ...refused, first: MARKED };
    expect(planOf(rolloutOf(4, sets(own), { bounds }))).toMatchObject({ old1: [2, 0] });
    expect(planOf(rolloutOf(4, sets(own, { first: undefined }), { bounds }))).toMatchObject({ old1: [2, 0] });
    const going = [setOf('old1', refused), setOf('old2', { existing: 1, isDeleting: true, first: MARKED })];
    const all = [...going, setOf('new', { existing: 1, maxMachines: 1 })];
    expect(planOf(rolloutOf(4, all, { bounds }))).toMatchObject({ old1: [2, 0] });
  });

  it('go one set at a time', () => {
    const sets = [setOf('old1', { existing: 3, first: MARKED }), setOf('new', { existing: 3, first: MARKED })];
    expect(planOf(rolloutOf(4, sets, { isHeld: true, bounds }))).toMatchObject({ old1: [2, 2], new: [3, 2] });
  });

  it('are not needed for those to go first that have failed, or have no Node', () => {
    const scaled = (first: object) =>
      planOf(
        rolloutOf(
          7,
          [setOf('old1', { existing: 6, maxMachines: 6 }), setOf('new', { existing: 3, maxMachines: 3, ...first })],
          { isHeld: true, bounds },
        ),
      );
    expect(scaled({})).toMatchObject({ old1: [5, 5], new: [3, 2] });
    const none = { marked: 0, markedAvailable: 0 };
    const [failed, pending] = [
      { ...none, failed: 1, pending: 0 },
      { ...none, failed: 0, pending: 1 },
    ];
    expect(scaled({ available: 2, first: failed })).toMatchObject({ old1: [6, 5], new: [2, 2] });
    expect(scaled({ available: 2, first: pending })).toMatchObject({ old1: [6, 5], new: [2, 2] });
  });
});

const arbitraryStep = fc.record({
  what: fc.constantFrom<Step['what']>(...STEPS),
  which: fc.nat({ max: 9 }),
  amount: fc.nat({ max: 8 }),
});

const arbitraryWorld = fc.record({
  replicas: fc.nat({ max: 8 }),
  type: fc.constantFrom<RolloutType>('RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'Recreate', 'OnDelete'),
  maxSurge: fc.nat({ max: 3 }),
  maxUnavailable: fc.nat({ max: 3 }),
});

describe('whatever fails, is killed, scaled, paused or changed in the middle', () => {
  it('keeps both bounds, and ends with as many machines as are wanted, all of the newest template', () => {
    fc.assert(
      fc.property(
        arbitraryWorld,
        fc.array(arbitraryStep, { minLength: 30, maxLength: 150, size: 'max' }),
        (world, steps) => {
          const model = new DeploymentModel(world);
          for (const step of steps) model.do(step);
          expect(model.ordersAtRest()).toBe(0);
          model.settle();
          expect(model.violations).toEqual([]);
          expect(model.unfinished()).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('keeps them where a set was told to fill up, and then fewer are wanted of another template', () => {
    const model = new DeploymentModel({ replicas: 1, type: 'RollingUpdate', maxSurge: 0, maxUnavailable: 0 });
    const play = (...all: readonly (readonly [Step['what'], number?])[]) =>
      all.forEach(([what, amount = 0]) => model.do({ what, which: what === 'change' ? 1 : 0, amount }));
    play(['plan'], ['look'], ['act'], ['plan'], ['write', 1], ['scale', 2], ['look'], ['act'], ['plan'], ['write', 1]);
    play(['remove'], ['mark and scale'], ['plan'], ['change'], ['plan'], ['plan']);
    model.settle();
    expect([model.violations, model.unfinished()]).toEqual([[], []]);
  });

  it('keeps them in a step as well, and ends with as many machines as are wanted, of which no fewer are new than the step asks for', () => {
    fc.assert(
      fc.property(
        arbitraryWorld,
        fc.array(arbitraryStep, { minLength: 10, maxLength: 100, size: 'max' }),
        fc.nat({ max: 8 }),
        (world, steps, mostNew) => {
          const model = new DeploymentModel({ ...world, type: 'RollingUpdate' });
          for (const step of steps) model.do(step);
          expect(model.ordersAtRest()).toBe(0);
          model.settle(mostNew);
          expect(model.violations).toEqual([]);
          expect(model.unfinishedAtStep(mostNew)).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
