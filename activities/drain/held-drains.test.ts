import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../providers/clock.ts';
import { HeldDrains } from './held-drains.ts';

let nowMs: number;
let drains: HeldDrains;
beforeEach(() => {
  nowMs = 0;
  drains = new HeldDrains({ ...systemClock, now: () => nowMs });
});
const hold = (count: number) => Array.from({ length: count }, (_, index) => drains.held(`node-${index}`)).at(-1);

describe('the pause of a drain that a budget holds', () => {
  it('grows with the number of such drains: together they ask five times a second', () => {
    expect(hold(1)).toBe(200);
    expect(hold(100)).toBe(20_000);
    expect(drains.held('node-7')).toBe(20_000);
  });

  it('is half a minute at most', () => expect(hold(1000)).toBe(30_000));

  it('forgets drains that nothing held for a minute', () => {
    hold(100);
    nowMs = 60_000;
    expect(drains.held('node-0')).toBe(20_000);
    nowMs = 60_001;
    expect(drains.held('node-1')).toBe(400);
  });
});
