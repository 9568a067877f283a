import { expect, it } from '@jest/globals';
import { parseTicks, slownessBetween } from './slowness.ts';

const before = parseTicks('cpu  100 0 50 9000 7 0 0 30 0 0\ncpu0 1 2 3');

it('is what was stolen besides what was done: idle time was wanted by nobody', () => {
  expect(slownessBetween(before, parseTicks('cpu  160 10 70 9900 9 5 5 130 0 0\n'))).toBe(2);
  expect(slownessBetween(before, parseTicks('cpu  200 0 50 9900 9 0 0 30 0 0\n'))).toBe(1);
});

it('is none where nobody tells, and in a moment', () => {
  expect(slownessBetween({ busy: 0, stolen: 0 }, { busy: 0, stolen: 0 })).toBe(1);
  expect(slownessBetween(before, { busy: before.busy + 5, stolen: before.stolen + 50 })).toBe(1);
});
