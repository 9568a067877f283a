import { describe, expect, test } from '@jest/globals';
import { askedAgain } from './asked-again.ts';
import { ProviderError, type ProviderErrorDetails } from './provider-error.ts';
import { VirtualClock } from './virtual-clock-for-tests.ts';

const throttled = (details: ProviderErrorDetails = {}) => new ProviderError('Throttled', 'too many', details);

/** A call that fails so before it answers; what came of it, how often it was made, and after how long. */
async function asked(...failures: readonly Error[]) {
  const clock = new VirtualClock();
  const began = clock.now();
  let calls = 0;
  const call = async () => {
    const failure = failures[calls];
    calls += 1;
    if (failure !== undefined) throw failure;
    return 'found';
  };
  const over = askedAgain(clock, call)
    .catch((error: unknown) => error)
    .then((outcome) => ({ outcome, ms: clock.now() - began }));
  await clock.pass(60_000);
  return { ...(await over), calls };
}

describe('one call of a look-up', () => {
  test('is made once more where it was throttled, and a third time', async () => {
    expect(await asked(throttled())).toEqual({ outcome: 'found', calls: 2, ms: 500 });
    expect(await asked(throttled(), throttled())).toEqual({ outcome: 'found', calls: 3, ms: 1500 });
  });

  test('comes back when the cloud says', async () => {
    expect(await asked(throttled({ retryAfterMs: 2000 }))).toEqual({ outcome: 'found', calls: 2, ms: 2000 });
  });

  test('is left to the workflow where it is throttled all the time, or for long, was never sent, or failed otherwise', async () => {
    const last = throttled();
    expect(await asked(throttled(), throttled(), last)).toEqual({ outcome: last, calls: 3, ms: 1500 });
    for (const error of [
      throttled({ retryAfterMs: 2001 }),
      throttled({ notSent: true }),
      new ProviderError('Unavailable', 'away'),
      new Error('no answer'),
    ]) {
      expect(await asked(error)).toEqual({ outcome: error, calls: 1, ms: 0 });
    }
  });
});
