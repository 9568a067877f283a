import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Ranges, type Range, type RangeStart } from './ranges.ts';
import type { Result } from './tally.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-ranges-'));
  file = join(folder, 'sum.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const START: RangeStart = { from: 'night', scenario: undefined, sources: 'abc' };
const VIOLATION = { judge: 'one instance', message: 'two run', at: 5 };

function result(lives: number, violations: Result['violations'] = []): Result {
  const none = { virtualMs: 0, looks: 0, steps: 0, restMs: 0, coverage: [], calls: [] };
  return { seed: 'night-1', scenario: 'churn', world: 'calm', lives, violations, ...none };
}

function saved(): readonly Range[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Range[];
}

it('a call goes on behind the runs of those before it, and adds to them', () => {
  const first = new Ranges(file, START);
  expect(first.last).toBe(0);
  first.add(1, result(30));
  first.add(2, result(20));
  first.save();

  const second = new Ranges(file, { ...START, sources: 'def' });
  expect(second.last).toBe(2);
  second.add(3, result(7));
  second.save();

  expect(saved()).toMatchObject([
    { from: 'night', sources: 'abc', first: 1, last: 2, lives: 50 },
    { from: 'night', sources: 'def', first: 3, last: 3, lives: 7 },
  ]);
  expect(second.describe()).toContain('57 lives in 3 runs, of which 0 failed');
});

it('a run counts only when those before it have ended: a call that is cut off leaves no gap', () => {
  const cutOff = new Ranges(file, START);
  cutOff.add(1, result(30));
  cutOff.add(3, result(20));
  cutOff.save();
  expect(saved()).toMatchObject([{ last: 1, lives: 30 }]);
  expect(new Ranges(file, START).last).toBe(1);

  cutOff.add(2, result(10));
  cutOff.save();
  expect(saved()).toMatchObject([{ last: 3, lives: 60 }]);
});

it('seeds of another beginning, and of another scenario, are counted for themselves', () => {
  const night = new Ranges(file, START);
  night.add(1, result(30));
  night.save();
  expect(new Ranges(file, { ...START, from: 'day' }).last).toBe(0);
  expect(new Ranges(file, { ...START, scenario: 'churn' }).last).toBe(0);
});

it('what failed stays in the sum', () => {
  const ranges = new Ranges(file, START);
  ranges.add(1, result(30, [VIOLATION]));
  ranges.save();
  expect(saved()[0]?.failed).toEqual([{ scenario: 'churn', seed: 'night-1', world: 'calm', violations: [VIOLATION] }]);
  expect(new Ranges(file, START).describe()).toContain('30 lives in 1 runs, of which 1 failed');
});

it('a call in which no run ended changes nothing', () => {
  new Ranges(file, START).save();
  expect(() => saved()).toThrow('ENOENT');
});
