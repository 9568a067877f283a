import { causeOf, type WaitReason } from '../../k8s/model/reasons/reasons.ts';
import type { WaitStep } from '../../k8s/model/reasons/steps.ts';
import { CLOUD_NOT_ANSWERING } from '../../providers/provider.ts';
import type { Wait } from './answer.ts';
import type { CloudFailure } from './launch-record.ts';
import type { Pass } from './pass.ts';
import { backoffMs, type BackoffClass, type BackoffSettings } from '../settings.ts';

/** What a machine says whose call was not sent. */
export type TurnReason = Extract<WaitReason, 'AwaitingTurn' | typeof CLOUD_NOT_ANSWERING>;

/** Where a worker does not say when to try again, in milliseconds. */
const SOON_MS = 1000;

/** How a phase stands with what it tries, from pass to pass. Plain JSON. */
export interface Retry {
  /** Failures in a row. */
  readonly failures: number;
  /** What came of the last try, and when the next one is due. */
  readonly wait: Wait;
}

/** What a phase may have failed with. */
export type Failure = Pick<
  CloudFailure,
  'retryClass' | 'message' | 'cloudCode' | 'retryAfterMs' | 'paced' | 'notSent'
> & {
  readonly code: string;
};

/** The wait of a phase whose next try is not due yet. */
export function notDue(retry: Retry | undefined, nowMs: number): Wait | undefined {
  const wait = retry?.wait;
  return wait?.until !== undefined && wait.until > nowMs ? wait : undefined;
}

/**
 * One more failure of what a phase tries. What never left the worker is none: it is not counted, and the machine sleeps until
 * its turn.
 */
export function retryAfter(pass: Pass, step: WaitStep, failure: Failure, before: Retry | undefined): Retry {
  const { message, notSent } = failure;
  const failures = (before?.failures ?? 0) + (notSent === true ? 0 : 1);
  const cause = notSent === true ? { reason: reasonOfTurn(failure) } : causeOf(failure);
  const until = pass.nowMs + retryMs(pass.settings, failure, failures, Math.random());
  return { failures, wait: { step, ...cause, message, until } };
}

/** The same for what is missing in the cluster: nothing tells when it will be there. */
export function retryMissingOf(pass: Pass, wait: Wait, before: Retry | undefined): Retry {
  const failures = (before?.failures ?? 0) + 1;
  const until = pass.nowMs + backoffMs(pass.settings, 'missing', failures, Math.random());
  return { failures, wait: { ...wait, until } };
}

/**
 * Milliseconds until a failed call is tried again. A worker that keeps to the cloud's limits tells when there is room: a
 * back-off besides would only let others overtake.
 *
 * @param failures how often it failed in a row, from 1
 */
export function retryMs(
  settings: BackoffSettings,
  { retryClass, retryAfterMs, paced, notSent }: Pick<Failure, 'retryClass' | 'retryAfterMs' | 'paced' | 'notSent'>,
  failures: number,
  random: number,
): number {
  if (paced === true || notSent === true) return turnMs({ retryAfterMs });
  return Math.max(retryAfterMs ?? 0, backoffMs(settings, patienceWith(retryClass), failures, random));
}

/** What only a change mends is looked at as seldom as a missing permission. */
export function patienceWith(retryClass: CloudFailure['retryClass']): BackoffClass {
  return retryClass === 'invalid' ? 'denied' : retryClass;
}

/** Milliseconds until the turn of a call that was not sent. */
export function turnMs({ retryAfterMs = SOON_MS }: { readonly retryAfterMs?: number | undefined }): number {
  return retryAfterMs;
}

/** Why a call was not sent: the cloud's limits have no room for it, or the cloud hangs. */
export function reasonOfTurn({ cloudCode }: Pick<CloudFailure, 'cloudCode'>): TurnReason {
  return cloudCode === CLOUD_NOT_ANSWERING ? CLOUD_NOT_ANSWERING : 'AwaitingTurn';
}
