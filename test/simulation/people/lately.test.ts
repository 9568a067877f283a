import { expect, it } from '@jest/globals';
import { Lately } from './lately.ts';

it('tells all that something was since a time', () => {
  const replicas = new Lately<number>();
  expect(replicas.since('set', 0)).toEqual([]);
  replicas.note('set', 3, 1000);
  replicas.note('set', 5, 2000);
  expect([replicas.since('set', 1500), replicas.since('set', 2500)]).toEqual([[3, 5], [5]]);
});

it('tells what it was before the first change of it, too', () => {
  const paused = new Lately(false);
  expect(paused.since('machine', 0)).toEqual([false]);
  paused.note('machine', true, 1000);
  expect([paused.since('machine', 900), paused.since('machine', 1100)]).toEqual([[false, true], [true]]);
});
