import type { RetryClass } from '../providers/provider-error.ts';
import { backoffMs, type BackoffSettings } from './settings.ts';

/** Where a worker does not say when to try again, in milliseconds. */
const SOON_MS = 1000;

/** How something stands that failed and is tried again, from pass to pass. Plain JSON. */
export interface Retry {
  /** Failures in a row. */
  readonly failures: number;
  /** What came of the last try. */
  readonly message: string;
  /** When the next one is due, in milliseconds since the epoch. */
  readonly until: number;
}

/** What a try may have failed with. */
export interface Failure {
  readonly message: string;
  readonly retryClass: RetryClass | 'missing';
  readonly retryAfterMs?: number;
  /** `retryAfterMs` says when the cloud has room, as the worker reckons. */
  readonly paced?: true;
  /** The request never left the worker. */
  readonly notSent?: true;
}

/** True where nothing has to be waited for before the next try. */
export function isDue(retry: Retry | undefined, now: number): boolean {
  return retry === undefined || retry.until <= now;
}

/**
 * After one more failure. What never left the worker is none: it is not counted, and waits for its turn.
 *
 * @param random in [0, 1), as in {@link backoffMs}
 */
export function retryAfter(
  failure: Failure,
  before: Retry | undefined,
  settings: BackoffSettings,
  now: number,
  random: number,
): Retry {
  const failures = (before?.failures ?? 0) + (failure.notSent === true ? 0 : 1);
  return { failures, message: failure.message, until: now + retryMs(settings, failure, failures, random) };
}

/** After one more refusal of the API server, or look for something that is missing there: nothing tells when that changes. */
export function missingAfter(
  message: string,
  before: Retry | undefined,
  settings: BackoffSettings,
  now: number,
): Retry {
  return retryAfter({ retryClass: 'missing', message }, before, settings, now, 0);
}

/**
 * Milliseconds until a failed call is tried again. A worker that keeps to the cloud's limits tells when there is room: a
 * back-off besides would only let others overtake.
 *
 * @param failures how often it failed in a row, from 1
 */
export function retryMs(
  settings: BackoffSettings,
  { retryClass, retryAfterMs, paced, notSent }: Omit<Failure, 'message'>,
  failures: number,
  random: number,
): number {
  if (paced === true || notSent === true) return retryAfterMs ?? SOON_MS;
  // What only a change mends is looked at as seldom as a missing permission.
  const patience = retryClass === 'invalid' ? 'denied' : retryClass;
  return Math.max(retryAfterMs ?? 0, backoffMs(settings, patience, failures, random));
}
