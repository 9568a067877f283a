import { describe, expect, it } from '@jest/globals';
import { given } from '../../providers/given.ts';
import { planRollout } from './plan-rollout.ts';
import type { Rollout, RolloutSet } from './rollout.ts';
import { scaleUpOf, type ScaleUp } from './scale-up.ts';
import { anOldSet, aRolloutSet, rolloutOf } from './survey-for-tests.ts';

const sizes = (old: number, current: number, changes: Partial<RolloutSet> = {}) => [
  anOldSet({ existing: old, maxMachines: 0, ...changes }),
  aRolloutSet({ existing: current, maxMachines: current, available: 0 }),
];

/** What both sets are told once; each has then made it, or not answered yet. */
function told(from: Rollout, { before, answers = true }: { readonly before: number; readonly answers?: boolean }) {
  let rollout = from;
  let scaleUp: ScaleUp | undefined;
  let replicasBefore = before;
  const way: string[] = [];
  for (let look = 0; look < 6; look += 1) {
    scaleUp = scaleUpOf(rollout, scaleUp, replicasBefore);
    replicasBefore = rollout.replicas;
    const plan = planRollout({ ...rollout, ...given({ raised: scaleUp?.goals }) });
    const sets = rollout.sets.map((set) => {
      const { replicas, maxMachines } = plan.get(set.uid) ?? { replicas: set.replicas, maxMachines: 0 };
      const isSame = replicas === set.replicas && maxMachines === set.maxMachines;
      const made = answers ? Math.max(set.existing, Math.min(replicas, maxMachines)) : set.existing;
      const hasAnswered = answers || (isSame && set.hasAnswered);
      return { ...set, replicas, maxMachines, hasAnswered, existing: made, active: made };
    });
    way.push(sets.map(({ replicas, maxMachines }) => `${replicas}/${maxMachines}`).join(' '));
    rollout = { ...rollout, sets };
  }
  return { way, sizes: rollout.sets.map(({ existing }) => existing) };
}

describe('a rollout in its midst that is scaled up', () => {
  it("shares what is asked for more in proportion, as Kubernetes' Deployments do", () => {
    // The example of their documentation: 10 with a surge of 3, 8 old and 5 new, become 15.
    const rollout = rolloutOf(15, sizes(8, 5));
    expect(scaleUpOf(rollout, undefined, 10)).toEqual({ goals: { old: 11, new: 7 } });
    expect(told(rollout, { before: 10 }).sizes).toEqual([11, 7]);
  });

  it('does so as well while it stands still', () => {
    const rollout = rolloutOf(15, sizes(8, 5), { isHeld: true });
    expect(scaleUpOf(rollout, undefined, 10)).toEqual({ goals: { old: 11, new: 7 } });
    expect(told(rollout, { before: 10 }).sizes).toEqual([11, 7]);
  });

  it('does so while it stands still whichever way it replaces them, also where none of the new template is there', () => {
    for (const type of ['Recreate', 'OnDelete'] as const) {
      const rollout = rolloutOf(15, sizes(8, 5), { isHeld: true, type });
      expect(scaleUpOf(rollout, undefined, 10)).toEqual({ goals: { old: 11, new: 7 } });
    }
    const old = rolloutOf(15, [...sizes(8, 0), anOldSet({ name: 'old2', uid: 'old2', existing: 5 })], { isHeld: true });
    expect(scaleUpOf(old, undefined, 10)).toEqual({ goals: { old: 11, old2: 7 } });
  });

  it('counts what is to be made of the new template, and of an earlier one only while it stands still', () => {
    const goals = (old: Partial<RolloutSet>, current: Partial<RolloutSet>, isHeld = false) => {
      const [one, other] = sizes(8, 5);
      return scaleUpOf(
        rolloutOf(
          20,
          [
            { ...one!, ...old },
            { ...other!, ...current },
          ],
          { isHeld },
        ),
        undefined,
        12,
      )?.goals;
    };
    expect(goals({}, {})).toEqual({ old: 13, new: 8 });
    expect(goals({ replicas: 10 }, {})).toEqual({ old: 13, new: 8 });
    expect(goals({ replicas: 10 }, {}, true)).toEqual({ old: 15, new: 8 });
    expect(goals({}, { replicas: 8 })).toEqual({ old: 12, new: 11 });
  });

  it('leaves room for machines that no set has', () => {
    expect(scaleUpOf(rolloutOf(15, sizes(8, 5), { strays: 5 }), undefined, 10)).toBeUndefined();
    expect(scaleUpOf(rolloutOf(15, sizes(8, 5), { strays: 2 }), undefined, 10)).toEqual({ goals: { old: 10, new: 6 } });
  });

  it('gives the rest, up to the surge, to the new template', () => {
    expect(told(rolloutOf(20, sizes(10, 1)), { before: 10 }).sizes).toEqual([19, 4]);
  });

  it('keeps what an earlier template is to make until its set has answered, and takes none of it', () => {
    const { way } = told(rolloutOf(15, sizes(8, 5)), { before: 10, answers: false });
    expect(way.at(-1)).toBe('11/11 7/7');
    expect(way.slice(1).every((one) => one === way[0])).toBe(true);
  });

  it('makes once what an earlier template gets: what it loses of it comes of the new one', () => {
    const sets = [
      anOldSet({ existing: 10, replicas: 11, maxMachines: 11 }),
      aRolloutSet({ existing: 7, replicas: 7, maxMachines: 7, available: 0 }),
    ];
    const rollout = rolloutOf(15, sets);
    expect(scaleUpOf(rollout, { goals: { old: 11, new: 7 } }, 15)).toBeUndefined();
    expect(planRollout(rollout).get('old')).toEqual({ replicas: 10, maxMachines: 0 });
  });

  it('goes by what was found until all are told, whatever of it is done', () => {
    const known = { goals: { old: 11, new: 7 } };
    const [old, current] = sizes(8, 5);
    const half = [{ ...old!, replicas: 11, maxMachines: 11, hasAnswered: false }, current!];
    expect(scaleUpOf(rolloutOf(15, half), known, 15)).toEqual(known);
    expect(scaleUpOf(rolloutOf(15, half), known, 10)?.goals['old']).toBe(11);
    const made = [{ ...old!, existing: 11, active: 11, replicas: 11, maxMachines: 11 }, current!];
    expect(scaleUpOf(rolloutOf(15, made), known, 15)).toEqual(known);
    const all = [made[0]!, { ...current!, replicas: 7, maxMachines: 7 }];
    expect(scaleUpOf(rolloutOf(15, all), known, 15)).toBeUndefined();
  });

  it('goes by it until each set is told both how many it is to have, and how many may be there', () => {
    const known = { goals: { old: 11, new: 7 } };
    const [old, current] = sizes(8, 5);
    const told = (changes: (goal: number) => Partial<RolloutSet>) =>
      scaleUpOf(
        rolloutOf(15, [
          { ...old!, ...changes(11) },
          { ...current!, ...changes(7) },
        ]),
        known,
        15,
      );
    expect(told((replicas) => ({ replicas }))).toEqual(known);
    expect(told((maxMachines) => ({ maxMachines }))).toEqual(known);
    expect(told((goal) => ({ replicas: goal, maxMachines: goal }))).toBeUndefined();
  });

  it('forgets what was found when it is scaled down', () => {
    expect(scaleUpOf(rolloutOf(14, sizes(8, 5)), { goals: { old: 9, new: 6 } }, 15)).toBeUndefined();
  });

  it('adds to what was found where it is scaled up once more', () => {
    const known = { goals: { old: 11, new: 7 } };
    expect(scaleUpOf(rolloutOf(20, sizes(8, 5)), known, 15)).toEqual({ goals: { old: 14, new: 9 } });
  });

  it.each([
    ['it is scaled down', rolloutOf(9, sizes(8, 5))],
    ['only one template has machines', rolloutOf(15, sizes(13, 0))],
    ['none of the new one is there', rolloutOf(15, [...sizes(4, 0), anOldSet({ name: 'old2', uid: 'old2' })])],
    ['a step says how many new ones there may be', rolloutOf(15, sizes(8, 5), { mostNew: 5 })],
    ['it recreates', rolloutOf(15, sizes(8, 5), { type: 'Recreate' })],
    ['it waits for somebody to delete', rolloutOf(15, sizes(8, 5), { type: 'OnDelete' })],
    ['the set of the old ones is being deleted', rolloutOf(15, sizes(8, 5, { isDeleting: true }))],
    ['there is no room', rolloutOf(15, sizes(13, 5))],
    ['it stands still, and only one template has machines', rolloutOf(15, sizes(13, 0), { isHeld: true })],
  ])('shares nothing where %s', (_, rollout) => {
    expect(scaleUpOf(rollout, undefined, 10)).toBeUndefined();
  });

  it('shares nothing at the first look, which does not know what was wanted before', () => {
    expect(scaleUpOf(rolloutOf(15, sizes(8, 5)), undefined)).toBeUndefined();
  });

  it('forgets what was found when there is no room for it any more', () => {
    const rollout = rolloutOf(15, sizes(8, 5), { bounds: { maxSurge: 1, maxUnavailable: 0 } });
    expect(scaleUpOf(rollout, { goals: { old: 11, new: 7 } }, 15)).toBeUndefined();
  });
});
