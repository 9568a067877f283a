/**
 * Stops calls to a cloud that hangs. Pure: it is told the time and what came of the calls, and answers whether the next one
 * may be sent. Times are milliseconds of a clock that never goes back.
 */

export interface BreakerOptions {
  /** Calls in a row without an answer, after which nothing more is sent. @default 3 */
  readonly opensAfter?: number;
  /** How long nothing is sent then, in milliseconds; twice as long after every further try without an answer. @default 30000 */
  readonly firstOpenMs?: number;
  /** Longest time for which nothing is sent, in milliseconds. @default 300000 */
  readonly mostOpenMs?: number;
}

export type Breaker =
  /** Calls are sent. `silences`: so many in a row were not answered. */
  | { readonly state: 'closed'; readonly silences: number }
  /** Nothing is sent until then; then one call that tries, and no other until it is over. */
  | { readonly state: 'open'; readonly openMs: number; readonly until: number; readonly isTrying: boolean };

export const CLOSED: Breaker = { state: 'closed', silences: 0 };

export type Admission =
  /** `isTry`: whether the breaker closes depends on this call. */
  | { readonly admitted: true; readonly isTry: boolean }
  /** `until`: when one is tried; undefined: that one is under way. */
  | { readonly admitted: false; readonly until: number | undefined };

/** Whether a call may be sent now. One that is a try has to be followed by {@link withTry}. */
export function admit(breaker: Breaker, now: number): Admission {
  if (breaker.state === 'closed') return { admitted: true, isTry: false };
  if (breaker.isTrying) return { admitted: false, until: undefined };
  return now < breaker.until ? { admitted: false, until: breaker.until } : { admitted: true, isTry: true };
}

/** A try began, or ended without telling anything: it was given up, or never sent. */
export function withTry(breaker: Breaker, isTrying: boolean): Breaker {
  return breaker.state === 'open' ? { ...breaker, isTrying } : breaker;
}

/** The cloud answered a call, be it with an error: it does not hang. */
export function afterAnswer(): Breaker {
  return CLOSED;
}

/** A call was not answered. One that was sent before the breaker opened tells nothing new. */
export function afterSilence(breaker: Breaker, isTry: boolean, now: number, options: BreakerOptions = {}): Breaker {
  const { opensAfter = 3, firstOpenMs = 30_000, mostOpenMs = 300_000 } = options;
  if (breaker.state === 'closed') {
    const silences = breaker.silences + 1;
    return silences < opensAfter ? { state: 'closed', silences } : open(firstOpenMs, now);
  }
  return isTry ? open(Math.min(breaker.openMs * 2, mostOpenMs), now) : breaker;
}

function open(openMs: number, now: number): Breaker {
  return { state: 'open', openMs, until: now + openMs, isTrying: false };
}
