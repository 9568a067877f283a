import type { CloudFailure } from './launch-record.ts';
import type { Life, Next } from './life.ts';
import { backoffMs, type BackoffClass, type MachineSettings } from './settings.ts';

/** What a machine says that waits until the limits of its cloud have room for its call. */
const AWAITING_TURN = 'AwaitingTurn';

/** Where a worker does not say when to try again, in milliseconds. */
const SOON_MS = 1000;

type Failure = Pick<CloudFailure, 'retryAfterMs' | 'paced' | 'notSent'>;
type Unsent = Failure & Pick<CloudFailure, 'message' | 'cloudCode'>;

/**
 * Milliseconds until a failed call is tried again. A worker that keeps to the cloud's limits tells when there is room: a
 * back-off besides would only let others overtake.
 *
 * @param failures how often it failed in a row, from 1
 */
export function retryMs(
  settings: Pick<MachineSettings, 'backoff'>,
  { retryAfterMs, paced, notSent }: Failure,
  retryClass: BackoffClass,
  failures: number,
  random: number,
): number {
  if (paced === true || notSent === true) return turnMs({ retryAfterMs });
  return Math.max(retryAfterMs ?? 0, backoffMs(settings, retryClass, failures, random));
}

/** Milliseconds until the turn of a call that was not sent. */
export function turnMs({ retryAfterMs = SOON_MS }: { readonly retryAfterMs?: number | undefined }): number {
  return retryAfterMs;
}

/** Why a call was not sent: the cloud's limits have no room for it, or the cloud hangs. */
export function reasonOfTurn({ cloudCode }: Pick<CloudFailure, 'cloudCode'>): string {
  return cloudCode ?? AWAITING_TURN;
}

/**
 * The call did not leave the worker. That is no failure: none is counted, no event tells of it, and what is known of the
 * instance stays as it is. The machine sleeps until its turn, and says so.
 */
export function awaitTurn(life: Life, step: string, failure: Unsent): Next {
  const at = life.nowMs + turnMs(failure);
  life.memory.waitUntil = at;
  life.wait(step, reasonOfTurn(failure), failure.message, at);
  return { at, why: failure.message };
}
