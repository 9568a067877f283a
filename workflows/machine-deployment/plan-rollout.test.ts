import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { RolloutType } from '../../k8s/model/machine-deployment.ts';
import { boundsOf } from './bounds.ts';
import { DeploymentModel, STEPS, type Step } from './deployment-model-for-tests.ts';
import { planRollout } from './plan-rollout.ts';
import type { Rollout, RolloutSet } from './rollout.ts';

function setOf(name: string, changes: Partial<RolloutSet>): RolloutSet {
  const { existing = 0, active = existing, available = active, replicas = active } = changes;
  return {
    name,
    uid: name,
    isCurrent: name === 'new',
    revision: name === 'new' ? 9 : Number.parseInt(name.slice(3), 10),
    replicas,
    maxMachines: 0,
    isSettled: true,
    isDeleting: false,
    existing,
    active,
    available,
    ...changes,
  };
}

function rolloutOf(replicas: number, sets: readonly RolloutSet[], changes: Partial<Rollout> = {}): Rollout {
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
    const answering = [setOf('old1', { existing: 20, isSettled: false }), setOf('new', {})];
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

  it('counts machines that no set has', () => {
    const sets = [setOf('old1', { existing: 20 }), setOf('new', {})];
    expect(planOf(rolloutOf(20, sets, { strays: 2 }))).toMatchObject({ new: [1, 1] });
  });

  it('takes nothing before there is a set of the new template', () => {
    expect(planOf(rolloutOf(20, [setOf('old1', { existing: 20 })]))).toEqual({});
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
});

describe('OnDelete', () => {
  const type = { type: 'OnDelete', bounds: { maxSurge: 1, maxUnavailable: 0 } } as const;

  it('takes none, and replaces what somebody deletes', () => {
    const sets = [setOf('old1', { existing: 3 }), setOf('new', {})];
    expect(planOf(rolloutOf(3, sets, type))).toEqual({ old1: [3, 0], new: [0, 1] });
    const deleted = [setOf('old1', { existing: 3, active: 2, replicas: 3 }), setOf('new', { maxMachines: 1 })];
    expect(planOf(rolloutOf(3, deleted, type))).toEqual({ old1: [2, 0], new: [1, 1] });
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
    expect(planOf(rolloutOf(9, sets, held))).toMatchObject({ old1: [9, 15] });
  });

  it('scales the only set that has machines', () => {
    expect(planOf(rolloutOf(5, [setOf('old1', { existing: 3, maxMachines: 6 })], held))).toEqual({ old1: [5, 8] });
  });
});

describe('the bounds', () => {
  it('are rounded as those of Deployments', () => {
    const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) =>
      boundsOf({ replicas, strategy: { type: 'RollingUpdate', maxSurge, maxUnavailable } });
    expect(rolling(10, '25%', '25%')).toEqual({ maxSurge: 3, maxUnavailable: 2 });
    expect(rolling(1, 0, '50%')).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    expect(rolling(3, '0%', '10%')).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    expect(rolling(3, 1, 0)).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(rolling(2, 0, 5)).toEqual({ maxSurge: 0, maxUnavailable: 2 });
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
          model.settle();
          expect(model.violations).toEqual([]);
          expect(model.unfinished()).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
