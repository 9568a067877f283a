import { expect, test } from '@jest/globals';
import { found, SET, setSight, suspect, withoutSet } from './check-for-tests.ts';
import { limitBrake, nextPace } from './pace.ts';

const seen = found({ expected: 20 });
const next = (known: number | undefined, hasLetGo: boolean, successes: number) =>
  nextPace(seen, known, { hasLetGo, successes });

test('the pace is what the check allows; after a storm it begins with one, and doubles until it is that again', () => {
  expect(next(undefined, false, 3)).toEqual({ limit: 4 });
  expect(next(undefined, true, 0)).toEqual({ limit: 1, pace: 1 });
  expect(next(1, false, 0)).toEqual({ limit: 1, pace: 1 });
  expect(next(1, false, 1)).toEqual({ limit: 2, pace: 2 });
  expect(next(2, false, 1)).toEqual({ limit: 4 });
  expect(next(3, false, 1)).toEqual({ limit: 4 });
  expect(next(2, true, 0)).toEqual({ limit: 1, pace: 1 });
});

test('a share is of the places for machines, and does not grow by those that are replaced', () => {
  const leaving = (...names: string[]) => names.map((name) => suspect(name, { isDeleting: true, causes: [] }));
  const limitOf = (expected: number, missing: number, ...names: string[]) => {
    const seen = found({
      expected,
      suspects: [suspect('ill'), ...leaving(...names)],
      sets: { [SET.uid]: setSight({ missing }) },
    });
    return nextPace(seen, undefined, { hasLetGo: false, successes: 0 }).limit;
  };
  expect([limitOf(5, 0), limitOf(6, 0)]).toEqual([1, 2]);
  // Five places: one goes, and its replacement is there, or is not made yet.
  expect([limitOf(6, 0, 'a'), limitOf(5, 1, 'a')]).toEqual([1, 1]);
  // Six: two go, one of which is replaced.
  expect([limitOf(7, 1, 'a', 'b'), limitOf(6, 2, 'a', 'b'), limitOf(8, 0, 'a', 'b')]).toEqual([2, 2, 2]);
  // More are missing than go.
  expect(limitOf(5, 3, 'a')).toBe(1);
});

test('what two sets of a deployment lack, each may make', () => {
  const other = { ...SET, name: 'others', uid: 'uid-of-others' };
  const suspects = [suspect('a', { isDeleting: true }), suspect('b', { isDeleting: true, set: other })];
  const of = { deployment: 'uid-of-deployment', missing: 1 };
  const sets = { [SET.uid]: setSight(of), [other.uid]: setSight(of) };
  const limit = (changes: object) =>
    nextPace(found({ suspects, sets, ...changes }), undefined, { hasLetGo: false, successes: 0 }).limit;
  expect([limit({ expected: 6 }), limit({ expected: 7 })]).toEqual([1, 2]);
  // Without one each makes its own.
  const apart = { [SET.uid]: setSight(), [other.uid]: setSight({ missing: 1 }) };
  expect([limit({ expected: 6, sets: apart }), limit({ expected: 7, sets: apart })]).toEqual([1, 2]);
});

test('a machine that goes for good, or whose set is gone, has no place any more', () => {
  const limit = (changes: object) =>
    nextPace(found({ expected: 6, ...changes }), undefined, { hasLetGo: false, successes: 0 }).limit;
  expect(limit({ suspects: [withoutSet(suspect('a', { isDeleting: true }))] })).toBe(1);
  expect(limit({ suspects: [suspect('a', { isDeleting: true })], sets: {} })).toBe(1);
});

test('the limit is told with where it comes from', () => {
  const counts = { underWay: ['d', 'c', 'b', 'a'], waiting: 2 };
  expect(limitBrake(seen, { limit: 4 }, counts).message).toBe(
    '4 remediations are under way (of a, b, c and 1 more), and at most 4 may be (spec.remediation.maxInFlight is 20%): 2 more machines wait',
  );
  expect(limitBrake(seen, { limit: 1, pace: 1 }, counts).message).toBe(
    '4 remediations are under way (of a, b, c and 1 more), and at most 1 may be (after a storm it begins with one at a time, and doubles with each success): 2 more machines wait',
  );
});
