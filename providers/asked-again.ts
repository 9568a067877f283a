import { delay, type Clock } from './clock.ts';
import { doubled } from './doubling.ts';
import { ProviderError } from './provider-error.ts';

/** So often one call of a look-up is made that the cloud throttles. */
const MOST_TRIES = 3;
/** Between two of them, where the cloud does not say, in milliseconds. */
const AGAIN_MS = { first: 500, most: 1000 } as const;
/** Who is to come back later than that leaves it to the workflow, in milliseconds. */
const LONGEST_MS = 2000;

/**
 * One of the calls that a look-up takes. A look-up fails with any of them: where a cloud throttles some of all calls, one of several calls
 * would hardly ever come to its end if none of them was made once more.
 */
export async function askedAgain<T>(clock: Clock, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const ms = tries < MOST_TRIES ? waitAfter(error, tries) : Infinity;
      if (ms > LONGEST_MS) throw error;
      await delay(clock, ms, signal);
      if (signal?.aborted === true) throw error;
    }
  }
}

/** Infinity: it is not made once more. */
function waitAfter(error: unknown, tries: number): number {
  if (!(error instanceof ProviderError) || error.code !== 'Throttled' || error.details.notSent === true)
    return Infinity;
  return error.details.retryAfterMs ?? doubled(AGAIN_MS, tries);
}
