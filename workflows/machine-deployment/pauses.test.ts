import { describe, expect, it } from '@jest/globals';
import { overAt, pausesAfter, pausesAtFirst, withLateLook, type Pause, type PauseSight } from './pauses.ts';
import { given } from '../../providers/given.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;

describe('pauses of a deployment', () => {
  const paused = (lastTransitionTime?: string): PauseSight => {
    const condition = { type: 'Paused', status: 'True', reason: 'DeploymentPaused', message: '' } as const;
    return {
      isPaused: true,
      ...given({
        conditions: lastTransitionTime === undefined ? undefined : [{ ...condition, lastTransitionTime }],
      }),
    };
  };
  const moving = { isPaused: false };

  it('begin when it is seen to be paused, and end when it is not any more', () => {
    expect(pausesAfter([], moving, NOW)).toEqual([]);
    const begun = pausesAfter([], paused(), NOW);
    expect(begun).toEqual([{ from: NOW }]);
    expect(pausesAfter(begun, paused(), NOW + MINUTE)).toEqual(begun);
    const over = pausesAfter(begun, moving, NOW + MINUTE);
    expect(over).toEqual([{ from: NOW, to: NOW + MINUTE }]);
    expect(pausesAfter(over, moving, NOW + 2 * MINUTE)).toEqual(over);
    expect(pausesAfter(over, paused(), NOW + 3 * MINUTE)).toEqual([...over, { from: NOW + 3 * MINUTE }]);
  });

  it('that begin within a time in which nobody looked, and end in it, take nothing from that', () => {
    const first = pausesAtFirst(false, NOW);
    const begun = pausesAfter(first, paused(), NOW + 1000);
    expect(begun).toEqual([...first, { from: NOW + MINUTE }]);
    expect(pausesAfter(begun, moving, NOW + 2000)).toEqual([...first, { from: NOW + MINUTE, to: NOW + MINUTE }]);
  });

  it('began when the status says so, which outlives the workflow, but not before the last one was over', () => {
    expect(pausesAfter([], paused('2026-01-01T11:58:00Z'), NOW)).toEqual([{ from: NOW - 2 * MINUTE }]);
    const over = [{ from: NOW - 9 * MINUTE, to: NOW - MINUTE }];
    expect(pausesAfter(over, paused('2026-01-01T11:58:00Z'), NOW)).toEqual([...over, { from: NOW - MINUTE }]);
  });

  it('are remembered, twenty of them', () => {
    let known: readonly Pause[] = [];
    for (let n = 0; n < 50; n += 1) known = pausesAfter(known, n % 2 === 0 ? paused() : moving, NOW + n);
    expect(known).toHaveLength(20);
    expect(known.at(-1)).toEqual({ from: NOW + 48, to: NOW + 49 });
  });
});

describe('a look that comes long after it was due', () => {
  it('shows that nobody looked: that time counts as a pause, and a minute for the machines to be looked at', () => {
    const late = withLateLook([], NOW - 10 * MINUTE, NOW);
    expect(late).toEqual([{ from: NOW - 10 * MINUTE - 1, to: NOW + MINUTE }]);
    const before = [{ from: NOW - 20 * MINUTE, to: NOW - 5 * MINUTE }];
    expect(withLateLook(before, NOW - 10 * MINUTE, NOW)).toEqual([
      ...before,
      { from: NOW - 5 * MINUTE, to: NOW + MINUTE },
    ]);
  });

  it('makes no machine late of which the time was over just when the look was due', () => {
    const dueAt = NOW - 10 * MINUTE;
    const pauses = withLateLook([], dueAt, NOW);
    expect(overAt(dueAt - 20 * MINUTE, 20 * MINUTE, pauses)).toBe(NOW + MINUTE + 1);
  });

  it.each<[string, readonly Pause[], number | undefined]>([
    ['it was due a moment ago', [], NOW - 29_999],
    ['it came before it was due', [], NOW + MINUTE],
    ['none was due', [], undefined],
    ['the deployment is paused anyway', [{ from: NOW - 20 * MINUTE }], NOW - 10 * MINUTE],
  ])('changes nothing where %s', (_where, known, dueAt) => {
    expect(withLateLook(known, dueAt, NOW)).toBe(known);
  });
});

it('knows of no time before the first look, after which machines have a minute to be looked at; of a new deployment there was none', () => {
  expect(overAt(NOW - 30 * MINUTE, 20 * MINUTE, pausesAtFirst(false, NOW))).toBe(NOW + 21 * MINUTE);
  expect(pausesAtFirst(true, NOW)).toEqual([]);
});

describe('a time that passes outside of pauses', () => {
  const over = (...pauses: Pause[]) => overAt(NOW, 10 * MINUTE, pauses) - NOW;

  it('is longer by those that lie within it, one of which another one may have brought there', () => {
    expect(over()).toBe(10 * MINUTE);
    expect(over({ from: NOW + 5 * MINUTE, to: NOW + 7 * MINUTE })).toBe(12 * MINUTE);
    const [first, second] = [
      { from: NOW + 5 * MINUTE, to: NOW + 7 * MINUTE },
      { from: NOW + 11 * MINUTE, to: NOW + 12 * MINUTE },
    ];
    expect(over(first, second)).toBe(13 * MINUTE);
    expect(over(second)).toBe(10 * MINUTE);
  });

  it('is longer by what of a pause came after it began, and by none that was over or had not begun', () => {
    expect(over({ from: NOW - 5 * MINUTE, to: NOW + MINUTE })).toBe(11 * MINUTE);
    expect(over({ from: NOW - 5 * MINUTE, to: NOW - MINUTE })).toBe(10 * MINUTE);
    expect(over({ from: NOW + 10 * MINUTE, to: NOW + 20 * MINUTE })).toBe(10 * MINUTE);
  });

  it('has no end while it is paused, unless that had come before', () => {
    expect(over({ from: NOW + 5 * MINUTE })).toBe(Infinity);
    expect(over({ from: NOW + 10 * MINUTE })).toBe(10 * MINUTE);
  });
});
