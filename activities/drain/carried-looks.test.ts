import { expect, test } from '@jest/globals';
import { delay } from '../../providers/clock.ts';
import type { Moment } from '../../providers/moment.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { CarriedLooks, PassOver } from './carried-looks.ts';

const clock = ownClock();

/** Looks that take so long each, and answer how many there were. */
function slow(ms: number) {
  const looks = new CarriedLooks<number>(clock);
  let count = 0;
  const look = async () => {
    const nth = (count += 1);
    await delay(clock, ms);
    return nth;
  };
  return {
    take: (patienceMs: number, key = 'n') => looks.take(key, clock.now() + patienceMs, look),
    drop: () => looks.drop('n'),
    put: (seen: number, began: Moment) => looks.put('n', { seen, began }),
    count: () => count,
  };
}

test('a look counts until it is dropped', async () => {
  const { take, put, drop } = slow(100);
  const first = await take(200);
  expect([first.seen, (await take(0)).seen]).toEqual([1, 1]);
  put(7, first.began);
  expect(await take(0)).toEqual({ seen: 7, began: first.began });
  drop();
  expect((await take(200)).seen).toBe(2);
});

test('one that is not in time goes on, and the next pass has what it shows, with the time when it began', async () => {
  const { take, count } = slow(500);
  const began = clock.now();
  await expect(take(200)).rejects.toThrow(PassOver);
  expect(clock.now() - began).toBe(200);
  await expect(take(200)).rejects.toThrow(PassOver);
  expect(await take(200)).toMatchObject({ seen: 1, began: { now: began } });
  expect([clock.now() - began, count()]).toEqual([500, 1]);
});

test('each asker has a look of its own, and one of 15 s ago counts no more', async () => {
  const { take } = slow(500);
  await expect(take(200)).rejects.toThrow(PassOver);
  expect((await take(600, 'another')).seen).toBe(2);
  await delay(clock, 14_299);
  expect((await take(600)).seen).toBe(1);
  await delay(clock, 1);
  expect((await take(600)).seen).toBe(3);
});

test('none is begun when the pass is over', async () => {
  const { take, count } = slow(0);
  await expect(take(0)).rejects.toThrow(PassOver);
  expect(count()).toBe(0);
});

test('what it fails with is told to the pass that is there then', async () => {
  const looks = new CarriedLooks<never>(clock);
  const look = async () => {
    await delay(clock, 500);
    throw new Error('no answer');
  };
  await expect(looks.take('n', clock.now() + 100, look)).rejects.toThrow(PassOver);
  await delay(clock, 1000);
  await expect(looks.take('n', clock.now() + 100, look)).rejects.toThrow('no answer');
});
