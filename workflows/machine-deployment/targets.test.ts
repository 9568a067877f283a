import { describe, expect, it } from '@jest/globals';
import type { Rollout, RolloutSet } from './rollout.ts';
import { anOldSet } from './survey-for-tests.ts';
import { Targets } from './targets.ts';

const setOf = (name: string, existing: number, changes: Partial<RolloutSet> = {}) =>
  anOldSet({ name, uid: name, existing, ...changes });

/** Each set is to have its replicas, where nothing else is told. */
function targetsOf(replicas: number, sets: readonly RolloutSet[], wanted: readonly number[] = []) {
  const bounds = { maxSurge: 0, maxUnavailable: 0 };
  const rollout: Rollout = { replicas, type: 'RollingUpdate', bounds, isHeld: false, sets, strays: 0 };
  const targets = new Targets(rollout, sets, (set) => wanted[sets.indexOf(set)] ?? set.replicas);
  return { targets, all: () => sets.map((set) => targets.of(set)) };
}

describe('fewer machines of a set', () => {
  it('are what it has not filled first, which takes nothing of it: another set may be taken of', () => {
    const [a, b] = [setOf('a', 2, { replicas: 4 }), setOf('b', 3)];
    const { targets, all } = targetsOf(4, [a, b]);
    expect([targets.lower(a, 2), all()]).toEqual([2, [2, 3]]);
    expect([targets.lower(b, 1), all()]).toEqual([1, [2, 2]]);
  });

  it('are what is not filled and then machines, together as many as were asked for', () => {
    const a = setOf('a', 3, { replicas: 4 });
    const { targets, all } = targetsOf(1, [a]);
    expect([targets.lower(a, 2), all()]).toEqual([2, [2]]);
  });

  it('are all that are not available, and as many of the others as are too many', () => {
    const a = setOf('a', 6, { available: 4 });
    const { targets, all } = targetsOf(3, [a]);
    expect([targets.lower(a, 6), all()]).toEqual([3, [3]]);
  });

  it('are none where fewer than none are asked for', () => {
    const a = setOf('a', 3);
    const { targets, all } = targetsOf(1, [a]);
    expect([targets.lower(a, -1), targets.lower(a, 0), all()]).toEqual([0, 0, [3]]);
  });

  it('are what another set has not filled, where a set may give none of those that it is to come down by', () => {
    const [a, b] = [setOf('a', 4, { replicas: 6 }), setOf('b', 2, { replicas: 4 })];
    const { targets, all } = targetsOf(6, [a, b]);
    targets.lowerTogether(4, { a: 3, b: 3 });
    expect(all()).toEqual([4, 2]);
  });

  it('are taken of one set at a time', () => {
    const [a, b] = [setOf('a', 3), setOf('b', 3)];
    const { targets, all } = targetsOf(2, [a, b]);
    expect([targets.lower(a, 1), targets.lower(b, 1), targets.lower(a, 1), all()]).toEqual([1, 0, 1, [1, 3]]);
    const taking = setOf('c', 3, { replicas: 2 });
    const other = targetsOf(2, [taking, b]);
    expect([other.targets.lower(b, 1), other.targets.lower(taking, 1), other.all()]).toEqual([0, 1, [1, 3]]);
  });

  it('are taken of no other set while an old one has not answered; one of the template takes none then', () => {
    const b = setOf('b', 3);
    for (const [changes, taken] of [
      [{ hasAnswered: false }, 0],
      [{ hasAnswered: true }, 1],
      [{ hasAnswered: false, isCurrent: true }, 1],
    ] as const) {
      const { targets } = targetsOf(2, [setOf('a', 3, changes), b]);
      expect(targets.lower(b, 1)).toBe(taken);
    }
  });

  it('are none of a set that is to keep all that it has, or is to have', () => {
    const [a, b] = [setOf('a', 3, { replicas: 2 }), setOf('b', 1, { replicas: 4 })];
    const { targets, all } = targetsOf(1, [a, b]);
    for (const set of [a, b]) targets.keep(set);
    expect(all()).toEqual([3, 4]);
    expect([targets.lower(a, 1), all()]).toEqual([0, [3, 4]]);
  });
});

describe('marked machines', () => {
  const marked = (count: number, markedAvailable = 0) => ({
    first: { marked: count, markedAvailable, failed: 0, pending: 0 },
  });
  const lower = (replicas: number, sets: readonly RolloutSet[]) => {
    const { targets, all } = targetsOf(replicas, sets);
    targets.lowerMarked();
    return [all(), sets.filter((set) => targets.givesMarked(set)).map(({ name }) => name)];
  };

  it('go, as many as there are machines beyond replicas', () => {
    expect(lower(3, [setOf('a', 3, marked(2)), setOf('b', 1)])).toEqual([[2, 1], ['a']]);
    expect(lower(4, [setOf('a', 3, marked(2)), setOf('b', 1)])).toEqual([[3, 1], []]);
    expect(lower(1, [setOf('a', 3, marked(2)), setOf('b', 1)])).toEqual([[1, 1], ['a']]);
  });

  it('go where they are available only if these are too many', () => {
    expect(lower(3, [setOf('a', 4, marked(2, 2))])).toEqual([[3], ['a']]);
    const b = setOf('b', 1, { available: 0 });
    expect(lower(3, [setOf('a', 4, { ...marked(2, 2), available: 3 }), b])).toEqual([[4, 1], []]);
    expect(lower(3, [setOf('a', 4, { ...marked(2, 1), available: 3 }), b])).toEqual([[3, 1], ['a']]);
  });

  it('that are going already count', () => {
    expect(lower(1, [setOf('a', 4, { ...marked(2), replicas: 3 })])).toEqual([[2], ['a']]);
    expect(lower(3, [setOf('a', 4, { ...marked(2), replicas: 3 })])).toEqual([[3], ['a']]);
    const both = [setOf('a', 2, { ...marked(1), replicas: 1 }), setOf('b', 2, { ...marked(1), replicas: 1 })];
    expect(lower(3, both)).toEqual([[1, 1], ['a']]);
    expect(lower(2, both)).toEqual([
      [1, 1],
      ['a', 'b'],
    ]);
  });

  it('go of one set at a time', () => {
    expect(lower(2, [setOf('a', 2, marked(1)), setOf('b', 2, marked(1))])).toEqual([[1, 2], ['a']]);
  });

  it('are waited for while another set has not answered, which gives no available one in their stead', () => {
    const given = (b: Partial<RolloutSet>, first = marked(1, 1)) => {
      const { targets, all } = targetsOf(3, [setOf('a', 5, first), setOf('b', 1, { hasAnswered: false, ...b })]);
      targets.lowerMarked();
      targets.lowerTogether(2);
      return all();
    };
    expect(given({})).toEqual([5, 1]);
    expect(given({ available: 0 })).toEqual([5, 0]);
    // Nothing is marked, or what is may not go.
    expect(given({}, {} as never)).toEqual([5, 0]);
    expect(given({ hasAnswered: true })).toEqual([2, 1]);
  });
});

describe('fewer machines of all sets together', () => {
  it('are those first that go before others, in whichever set they are', () => {
    const first = { marked: 0, markedAvailable: 0, failed: 1, pending: 1 };
    const sets = [setOf('a', 8), setOf('b', 3, { first, available: 1 })];
    const { targets, all } = targetsOf(7, sets);
    targets.lowerTogether(3);
    expect(all()).toEqual([8, 1]);
  });

  it('are those first that go before others also in a set whose turn comes later: no available one goes in their stead', () => {
    const first = { marked: 0, markedAvailable: 0, failed: 0, pending: 3 };
    const sets = (a: number, b: number, pending = first) => [
      setOf('a', a, { available: Math.min(a, 3), first: a > 3 ? first : { ...first, pending: 0 } }),
      setOf('b', b, { available: 4, first: pending }),
    ];
    const { targets, all } = targetsOf(5, sets(6, 7));
    targets.lowerTogether(8);
    expect(all()).toEqual([2, 7]);
    const next = targetsOf(5, sets(2, 7));
    next.targets.lowerTogether(4);
    expect(next.all()).toEqual([2, 3]);
  });

  it('are of others where the set that has some to go first is to keep all that it has: it is not waited for', () => {
    const first = { marked: 0, markedAvailable: 0, failed: 1, pending: 0 };
    const keeping = setOf('a', 4, { available: 3, first });
    const { targets, all } = targetsOf(4, [keeping, setOf('b', 3)]);
    targets.keep(keeping);
    targets.lowerTogether(1);
    expect(all()).toEqual([4, 2]);
  });

  it('are in proportion, most of them first: only of one set machines are taken now', () => {
    const [small, large] = [setOf('small', 2), setOf('large', 8)];
    for (const sets of [
      [small, large],
      [large, small],
    ]) {
      const { targets } = targetsOf(5, sets);
      targets.lowerTogether(5);
      expect([targets.of(small), targets.of(large)]).toEqual([2, 4]);
    }
  });

  it('are taken where they may be, if not where they should be', () => {
    const [large, small] = [setOf('large', 9), setOf('small', 1, { available: 0 })];
    const { targets, all } = targetsOf(9, [large, small]);
    targets.lowerTogether(1);
    expect(all()).toEqual([9, 0]);
  });

  it('are what is not filled, while marked ones are going', () => {
    const first = { marked: 1, markedAvailable: 1, failed: 0, pending: 0 };
    const sets = [setOf('a', 1, { replicas: 3 }), setOf('b', 3, { replicas: 2, first })];
    const { targets, all } = targetsOf(3, sets);
    targets.lowerMarked();
    targets.lowerTogether(2);
    expect(all()).toEqual([1, 2]);
  });

  it('are no more than were asked for', () => {
    const [a, b] = [setOf('a', 0, { replicas: 9 }), setOf('b', 0, { replicas: 3 })];
    const { targets, all } = targetsOf(9, [a, b, setOf('c', 9)]);
    targets.lowerTogether(7);
    expect(all()).toEqual([3, 2, 9]);
    const pending = { first: { marked: 0, markedAvailable: 0, failed: 0, pending: 2 }, available: 2 };
    const other = targetsOf(2, [setOf('a', 4, pending), setOf('b', 4, pending)]);
    other.targets.lowerTogether(3);
    expect(other.all()).toEqual([2, 4]);
  });
});

it('more machines are in proportion as well', () => {
  const { targets, all } = targetsOf(10, [setOf('a', 6), setOf('b', 2)]);
  targets.raiseTogether(4);
  expect([all(), targets.total, targets.available]).toEqual([[9, 3], 12, 8]);
});
