import { describe, expect, it } from '@jest/globals';
import { delay } from '../../providers/clock.ts';
import { ownClock, FollowingClock } from './world-clock.ts';

/** Another's time, and how it was told to pass. */
function source() {
  const told = { now: 0, slept: [] as number[] };
  const sleep = async (ms: number) => {
    told.slept.push(ms);
    told.now += ms;
  };
  return { told, clock: new FollowingClock({ now: async () => told.now, sleep }, 0) };
}

const ALONG = { takesSourceAlong: true };
const AHEAD = { takesSourceAlong: false };

describe('the clock of a world', () => {
  it('stands still while nothing runs, and follows when it is told to', async () => {
    const { told, clock } = source();
    let isDue = false;
    clock.after(1000, () => (isDue = true));
    told.now = 999;
    await clock.follow();
    expect([clock.now(), isDue, told.slept]).toEqual([999, false, []]);
    told.now = 2000;
    await clock.follow();
    expect([clock.now(), isDue]).toEqual([2000, true]);
  });

  it('goes on to the next timer, and takes the other time along, while something waits for it', async () => {
    const { told, clock } = source();
    await clock.during(ALONG, () => delay(clock, 30_000));
    expect([clock.now(), told.now]).toEqual([30_000, 30_000]);
  });

  it('goes ahead of a time that must not pass, and waits for it afterwards', async () => {
    const { told, clock } = source();
    await clock.during(AHEAD, () => delay(clock, 500));
    expect([clock.now(), told.now]).toEqual([500, 0]);
    await clock.during(ALONG, async () => {});
    expect([clock.now(), told.now]).toEqual([500, 500]);
  });

  it('does not go on while an answer is held back', async () => {
    const { clock } = source();
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const all = clock.during(ALONG, () => Promise.all([clock.holding(held), delay(clock, 10)]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(clock.now()).toBe(0);
    answer();
    await all;
    expect(clock.now()).toBe(10);
  });

  it('forgets what was called off', async () => {
    const clock = ownClock(0);
    clock.after(60_000, () => {})();
    await delay(clock, 5);
    expect(clock.now()).toBe(5);
  });
});
