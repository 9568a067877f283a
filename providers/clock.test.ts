import { expect, it } from '@jest/globals';
import { glob, readFile } from 'node:fs/promises';
import { delay, startDeadline, systemClock, timestamp } from './clock.ts';
import { VirtualClock } from './virtual-clock-for-tests.ts';

it('the host tells both times, runs what is due, and not what was called off', async () => {
  const since = systemClock.now();
  const ran: string[] = [];
  systemClock.after(1, () => ran.push('called off'))();
  await new Promise<void>((resolve) => systemClock.after(5, resolve));
  expect(ran).toEqual([]);
  expect(systemClock.now()).toBeGreaterThan(since);
  expect(Math.abs(systemClock.timeOfDay() - Date.now())).toBeLessThan(1000);
  expect(systemClock.random()).toBeLessThan(1);
});

it('a delay ends when its time has come, or when it is aborted, and leaves no timer behind', async () => {
  const clock = new VirtualClock();
  const ended: string[] = [];
  const abort = new AbortController();
  void delay(clock, 100).then(() => ended.push('in time'));
  void delay(clock, 1000, abort.signal).then(() => ended.push('aborted'));
  await clock.pass(99);
  expect(ended).toEqual([]);
  await clock.pass(1);
  abort.abort();
  await delay(clock, 1000, abort.signal);
  expect(ended).toEqual(['in time', 'aborted']);
  expect(clock.pending).toBe(0);
});

it('a timestamp is the time of day', () => {
  const clock = new VirtualClock({ timeOfDay: Date.parse('2026-01-01T00:00:00Z') });
  expect(timestamp(clock)).toBe('2026-01-01T00:00:00.000Z');
});

it('a deadline that was called off ends nothing', async () => {
  const clock = new VirtualClock();
  const [late, early] = [startDeadline(clock, 100), startDeadline(clock, 100)];
  early.callOff();
  await clock.pass(100);
  expect([late.signal.aborted, early.signal.aborted]).toEqual([true, false]);
});

it('nobody makes a Date of now, which the lint cannot tell', async () => {
  const found: string[] = [];
  const sources = ['activities', 'providers', 'starters/watcher'].map((folder) => `${folder}/**/*.ts`);
  for await (const file of glob(sources, { exclude: ['**/*.test.ts'] })) {
    if ((await readFile(file, 'utf8')).includes('new Date()')) found.push(file);
  }
  expect(found).toEqual([]);
});
