import { expect, test } from '@jest/globals';
import { found } from './check-for-tests.ts';
import { limitBrake, nextPace } from './pace.ts';

const seen = found({ expected: 20 });
const next = (known: number | undefined, hasLetGo: boolean, successes: number) =>
  nextPace(seen, known, { hasLetGo, successes, failing: 0 });

test('the pace is what the check allows; after a storm it begins with one, and doubles until it is that again', () => {
  expect(next(undefined, false, 3)).toEqual({ limit: 4 });
  expect(next(undefined, true, 0)).toEqual({ limit: 1, pace: 1 });
  expect(next(1, false, 0)).toEqual({ limit: 1, pace: 1 });
  expect(next(1, false, 1)).toEqual({ limit: 2, pace: 2 });
  expect(next(2, false, 1)).toEqual({ limit: 4 });
  expect(next(3, false, 1)).toEqual({ limit: 4 });
  expect(next(2, true, 0)).toEqual({ limit: 1, pace: 1 });
});

test('places in which no replacement succeeds do not hold up the others', () => {
  expect(nextPace(seen, 1, { hasLetGo: false, successes: 0, failing: 2 })).toEqual({ limit: 3, pace: 1 });
  expect(nextPace(seen, 1, { hasLetGo: false, successes: 0, failing: 9 })).toEqual({ limit: 4, pace: 1 });
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
