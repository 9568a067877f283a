import { describe, expect, it } from '@jest/globals';
import { admit, afterAnswer, afterSilence, CLOSED, withTry, type Breaker } from './breaker.ts';

const OPTIONS = { opensAfter: 3, firstOpenMs: 30_000, mostOpenMs: 100_000 };

/** So many calls in a row that were not answered, at time 0. */
function silences(count: number): Breaker {
  return Array.from({ length: count }).reduce<Breaker>((breaker) => afterSilence(breaker, false, 0, OPTIONS), CLOSED);
}

/** The call that tries at this time is not answered. */
function afterSilentTry(breaker: Breaker, now: number): Breaker {
  expect(admit(breaker, now)).toEqual({ admitted: true, isTry: true });
  return afterSilence(withTry(breaker, true), true, now, OPTIONS);
}

describe('a breaker', () => {
  it('lets calls through until three in a row were not answered', () => {
    expect(admit(silences(2), 0)).toEqual({ admitted: true, isTry: false });
    expect(admit(silences(3), 29_999)).toEqual({ admitted: false, until: 30_000 });
  });

  it('counts anew after every answer', () => {
    expect(silences(2)).not.toEqual(CLOSED);
    expect(afterAnswer()).toEqual(CLOSED);
  });

  it('tries with one call at a time when it was open for long enough', () => {
    const trying = withTry(silences(3), true);
    expect(admit(silences(3), 30_000)).toEqual({ admitted: true, isTry: true });
    expect(admit(trying, 31_000)).toEqual({ admitted: false, until: undefined });
    expect(admit(withTry(trying, false), 31_000)).toEqual({ admitted: true, isTry: true });
  });

  it('stays open twice as long after each try without an answer, up to a limit', () => {
    let breaker = silences(3);
    const opens: (number | undefined)[] = [];
    for (const at of [30_000, 90_000, 190_000]) {
      breaker = afterSilentTry(breaker, at);
      opens.push(breaker.state === 'open' ? breaker.openMs : undefined);
    }
    expect(opens).toEqual([60_000, 100_000, 100_000]);
  });

  it('is not kept open by calls that were sent before it opened', () => {
    const breaker = silences(3);
    expect(afterSilence(breaker, false, 20_000, OPTIONS)).toEqual(breaker);
  });
});
