import { expect, it } from '@jest/globals';
import { parseRunnable, watchCrowd } from './crowd.ts';

it('is who wants a processor, by the processors there are, on average over the looks', () => {
  const seen = ['9.50 8.00 7.00 12/900 4711\n', '9.50 8.00 7.00 4/900 4712\n'];
  const crowd = watchCrowd(2, () => seen.shift() ?? '');
  crowd.look();
  expect(crowd.factor()).toBe(6);
  crowd.look();
  expect(crowd.factor()).toBe(4);
});

it('is none where nobody waits, where nobody looked and where nobody tells', () => {
  const idle = watchCrowd(2, () => '0.01 0.02 0.03 1/200 4711\n');
  expect(idle.factor()).toBe(1);
  idle.look();
  expect(idle.factor()).toBe(1);
  expect(parseRunnable('')).toBe(0);
});
