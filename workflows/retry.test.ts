import { describe, expect, it } from '@jest/globals';
import { NO_CAPACITY, NOT_SENT, THROTTLED } from '../test/workflow/cloud-failures.ts';
import { DEFAULT_MACHINE_SETTINGS as SETTINGS } from './machine/settings.ts';
import { isDue, retryAfter, retryMs, type Failure } from './retry.ts';

const NOW = 1_000;
const after = (failure: Failure, before?: ReturnType<typeof retryAfter>) =>
  retryAfter(failure, before, SETTINGS, NOW, 0.5);

describe('what failed', () => {
  it('is counted, waits as its class says, and is not due before its time', () => {
    const second = after(NO_CAPACITY, after(NO_CAPACITY));
    const until = NOW + SETTINGS.backoff.exhausted.first * 2_000;
    expect(second).toEqual({ failures: 2, message: NO_CAPACITY.message, until });
    expect([isDue(second, until - 1), isDue(second, until), isDue(undefined, NOW)]).toEqual([false, true, true]);
  });

  it('waits as long as for a permission where only a change mends it', () => {
    expect(after({ ...NO_CAPACITY, retryClass: 'invalid' }).until).toBe(NOW + SETTINGS.backoff.denied.first * 1_000);
  });

  it('and never left the worker is no failure: it waits for its turn', () => {
    expect(after(NOT_SENT)).toEqual({ failures: 0, message: NOT_SENT.message, until: NOW + 20_000 });
    expect(after(NOT_SENT, after(THROTTLED))).toMatchObject({ failures: 1, until: NOW + 20_000 });
  });

  it('is tried again when the worker reckons that there is room, not after a back-off', () => {
    expect(retryMs(SETTINGS, { ...THROTTLED, retryAfterMs: 700, paced: true }, 5, 0.5)).toBe(700);
    expect(retryMs(SETTINGS, { retryClass: 'soon', notSent: true, retryAfterMs: 700 }, 5, 0.5)).toBe(700);
    expect(retryMs(SETTINGS, { retryClass: 'soon', notSent: true }, 5, 0.5)).toBe(1_000);
    expect(retryMs(SETTINGS, { ...THROTTLED, retryAfterMs: 700 }, 1, 0.5)).toBe(5_000);
    expect(retryMs(SETTINGS, { ...THROTTLED, retryAfterMs: 60_000 }, 1, 0.5)).toBe(60_000);
  });
});
