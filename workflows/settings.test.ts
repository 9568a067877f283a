import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_MACHINE_SETTINGS } from './machine/settings.ts';
import { backoffMs, type BackoffClass } from './settings.ts';

const CLASSES = Object.keys(DEFAULT_MACHINE_SETTINGS.backoff) as BackoffClass[];

describe('the wait before the next try', () => {
  it('doubles with every failure, from one minute to ten where capacity is exhausted', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((n) => backoffMs(DEFAULT_MACHINE_SETTINGS, 'exhausted', n, 0.5) / 1000);
    expect(waits).toEqual([60, 120, 240, 480, 600, 600]);
  });

  it('is spread over half of itself for throttled callers, and for nobody else', () => {
    const spread = (retryClass: BackoffClass) =>
      [0, 0.999_999].map((random) => backoffMs(DEFAULT_MACHINE_SETTINGS, retryClass, 3, random));
    expect(spread('throttled')).toEqual([15_000, 25_000]);
    expect(new Set(spread('soon')).size).toBe(1);
  });

  it('stays between its first and its most, however often it failed', () => {
    const anything = fc.record({
      retryClass: fc.constantFrom(...CLASSES),
      failures: fc.nat(10_000),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(anything, ({ retryClass, failures, random }) => {
        const { first, most } = DEFAULT_MACHINE_SETTINGS.backoff[retryClass];
        const wait = backoffMs(DEFAULT_MACHINE_SETTINGS, retryClass, failures, random) / 1000;
        expect(wait).toBeGreaterThanOrEqual(first * 0.75);
        expect(wait).toBeLessThanOrEqual(most * 1.25);
      }),
    );
  });
});
