import { describe, expect, it } from '@jest/globals';
import { availableAt, countReady, isAvailable } from './readiness.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number) => ({ readySince: new Date(NOW - seconds * 1000).toISOString() });

describe('a Machine is available', () => {
  it('when it has been Ready for so many seconds, and not a moment before', () => {
    expect(availableAt(ago(10), 30)).toBe(NOW + 20_000);
    expect(isAvailable({ deleting: false, ...ago(30) }, 30, NOW)).toBe(true);
    expect(isAvailable({ deleting: false, ...ago(30) }, 30, NOW - 1)).toBe(false);
  });

  it('at once where being Ready is enough, also by a clock that is ahead', () => {
    expect(isAvailable({ deleting: false, ...ago(-3600) }, 0, NOW)).toBe(true);
  });

  it('never while it is not Ready, cannot be used, or is being deleted', () => {
    expect(availableAt({}, 0)).toBeUndefined();
    expect(isAvailable({ deleting: false }, 0, NOW)).toBe(false);
    expect(isAvailable({ deleting: false, ...ago(60), unusable: 'a taint' }, 0, NOW)).toBe(false);
    expect(isAvailable({ deleting: true, ...ago(60) }, 0, NOW)).toBe(false);
  });
});

describe('of several Machines', () => {
  it('those are counted that are Ready, those that have been for long enough, and the next one is told', () => {
    const machines = [ago(30), ago(10), ago(20), { ...ago(60), unusable: 'a taint' }, {}];
    expect(countReady(machines, 30, NOW)).toEqual({
      counts: { readyReplicas: 4, availableReplicas: 1 },
      availableAt: NOW + 10_000,
    });
  });

  it('there is no next one where all are that can be', () => {
    expect(countReady([ago(30), {}], 30, NOW)).toEqual({ counts: { readyReplicas: 1, availableReplicas: 1 } });
    expect(countReady([], 30, NOW)).toEqual({ counts: { readyReplicas: 0, availableReplicas: 0 } });
  });
});
