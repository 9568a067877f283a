import type { PreparedLaunch } from '../../k8s/model/machine.ts';
import type { ProviderErrorCode, RetryClass } from '../../providers/provider-error.ts';
import { retryAfter, type Retry } from '../retry.ts';
import { withLook } from './absence-proof.ts';
import { reasonOfTurn, type TurnReason } from './step-retry.ts';
import { noAnswer } from './unanswered.ts';
import type { MachineSettings } from './settings.ts';
import { given } from '../../providers/given.ts';

/**
 * What is known of one attempt to launch. Plain data: it is carried from run to run. Times are milliseconds since the
 * epoch.
 */
export interface LaunchRecord {
  readonly prepared: PreparedLaunch;
  /** The first call that may have been made, by this workflow or by an earlier one whose past is unknown. */
  readonly firstCallAt?: number;
  /** No call made so far can take effect after this. */
  readonly callsEndAt?: number;
  /** Calls that were never answered; an unknown past counts as one. */
  readonly unanswered: number;
  /** Those of them that the cloud throttled, which is an answer and no proof. @default 0 */
  readonly throttled?: number;
  /** The newest call was answered with a refusal that proves it made no instance. */
  readonly refused: boolean;
  /** The instance of this token terminated before it was ever reported running. */
  readonly tokenTerminated: boolean;
  /** Why no call of this attempt may be repeated; then only look-ups settle it. */
  readonly settleOnly?: string;
  /** When look-ups were made that found nothing. */
  readonly emptyLooks: readonly number[];
  /** Of failures with one code in a row, over all attempts: nothing is tried before it is due. */
  readonly retry?: Retry;
  readonly lastError?: CloudFailure;
  /** It waits because its call was not sent: why. */
  readonly awaitsTurn?: { readonly reason: TurnReason; readonly message: string };
}

/** An attempt of which something failed. */
export type FailedLaunch = LaunchRecord & { readonly retry: Retry };

/** An error of a provider as a workflow sees it: no secret, no stack. */
export interface CloudFailure {
  readonly code: ProviderErrorCode;
  readonly retryClass: RetryClass;
  readonly message: string;
  readonly cloudCode?: string;
  readonly field?: string;
  /** What is wrong may be mended without a change of the spec. */
  readonly outsideSpec?: boolean;
  readonly provesNoInstance: boolean;
  readonly tokenTerminated: boolean;
  /** The cloud knows the token with other parameters. */
  readonly tokenMismatched?: true;
  readonly retryAfterMs?: number;
  /** The request never left the worker: nothing came of it. */
  readonly notSent?: true;
  /** `retryAfterMs` says when the cloud has room, as the worker reckons: there is no reason to wait longer. */
  readonly paced?: true;
}

/**
 * An attempt that nobody called yet.
 * @param before the attempt before it, whose failures count on
 */
export function freshLaunch(prepared: PreparedLaunch, before?: LaunchRecord): LaunchRecord {
  const isCalledOnce = prepared.idempotency === 'lookup';
  return {
    prepared,
    unanswered: 0,
    refused: false,
    tokenTerminated: false,
    ...given({ settleOnly: isCalledOnce ? 'a repeat would be a new call to this cloud' : undefined }),
    emptyLooks: [],
    ...given({ retry: before?.retry, lastError: before?.lastError }),
  };
}

/**
 * An attempt found in the Machine's status that this workflow did not prepare: it may have been called, and a worker that
 * stands still may be about to call it.
 */
export function takenOverLaunch(prepared: PreparedLaunch, now: number, settings: MachineSettings): LaunchRecord {
  return {
    ...freshLaunch(withoutPendingCall(prepared)),
    firstCallAt: Math.min(Date.parse(prepared.preparedAt), now),
    callsEndAt: now + settings.callTimeoutSeconds * 1000,
    unanswered: 1,
  };
}

/** Gives up the calls so far: one that is still on its way finds in the Machine that it is not to be sent. */
function withoutPendingCall(prepared: PreparedLaunch): PreparedLaunch {
  return { ...prepared, callsGivenUp: (prepared.callsGivenUp ?? 0) + 1 };
}

/** True where an instance may exist that nobody has seen. */
export function isOutcomeUnknown(launch: LaunchRecord): boolean {
  if (launch.firstCallAt === undefined || launch.tokenTerminated) return false;
  return launch.unanswered > 0 || !launch.refused;
}

/**
 * The cloud is about to be called: from here on its answer is owed.
 * @param now when the call is asked for
 */
export function afterCallBegan(launch: LaunchRecord, now: number, settings: MachineSettings): LaunchRecord {
  return {
    ...withoutTurn(launch),
    firstCallAt: launch.firstCallAt ?? now,
    callsEndAt: now + settings.callTimeoutSeconds * 1000,
    refused: false,
    emptyLooks: [],
    unanswered: launch.unanswered + 1,
  };
}

/**
 * The call was answered, so it is known when it was made: a first call that waited for a worker is as old as that.
 * @param before what was known before it was asked for
 * @param calledAt when it was sent, by its worker's clock; a clock that says what cannot be is not believed
 */
export function afterAnswer(owed: LaunchRecord, before: LaunchRecord, calledAt: number, now: number): LaunchRecord {
  if (before.firstCallAt !== undefined || owed.firstCallAt === undefined) return owed;
  return { ...owed, firstCallAt: Math.min(Math.max(calledAt, owed.firstCallAt), now) };
}

/**
 * The call was answered with an error. Only a refusal that proves that no instance was made settles the call; any other
 * error leaves it as open as silence does, because the cloud may still act on it.
 * @param now when the answer came
 */
export function afterError(
  launch: LaunchRecord,
  failure: CloudFailure,
  now: number,
  settings: MachineSettings,
  random: number,
): FailedLaunch {
  const { provesNoInstance } = failure;
  const tokenIsOld = failure.tokenMismatched === true;
  return {
    ...afterFailure(launch, failure, now, settings, random),
    unanswered: provesNoInstance ? launch.unanswered - 1 : launch.unanswered,
    ...given({ throttled: failure.code === 'Throttled' ? (launch.throttled ?? 0) + 1 : undefined }),
    refused: provesNoInstance,
    tokenTerminated: launch.tokenTerminated || failure.tokenTerminated,
    ...given({
      callsEndAt: provesNoInstance ? undefined : endOfCalls(launch, now, settings),
      settleOnly: tokenIsOld ? 'the cloud knows this token with other parameters' : undefined,
    }),
  };
}

/**
 * What is tried next waits: something failed, be it the call, or what comes before it. What never left the worker is no
 * failure, and waits for its turn.
 */
export function afterFailure(
  launch: LaunchRecord,
  failure: CloudFailure,
  now: number,
  settings: MachineSettings,
  random: number,
): FailedLaunch {
  if (failure.notSent === true) {
    const awaitsTurn = { reason: reasonOfTurn(failure), message: failure.message };
    return { ...launch, retry: retryAfter(failure, launch.retry, settings, now, random), awaitsTurn };
  }
  // A spec that is proved invalid is not tried again. Without the proof there may be an instance, which is looked for soon.
  const retryClass = failure.retryClass === 'invalid' ? 'soon' : failure.retryClass;
  const before = launch.lastError?.code === failure.code ? launch.retry : undefined;
  const retry = retryAfter({ ...failure, retryClass }, before, settings, now, random);
  const isAtOnce = failure.tokenTerminated || (failure.retryClass === 'invalid' && failure.provesNoInstance);
  return { ...withoutTurn(launch), retry: isAtOnce ? { ...retry, until: now } : retry, lastError: failure };
}

function withoutTurn({ awaitsTurn: _awaitsTurn, ...launch }: LaunchRecord): LaunchRecord {
  return launch;
}

/**
 * No answer: the worker died, or the call timed out. Where the worker only stood still it may yet come to the call; it
 * finds in the Machine that the call was given up.
 * @param now when the silence was noticed
 */
export function afterSilence(
  launch: LaunchRecord,
  message: string,
  now: number,
  settings: MachineSettings,
  random: number,
): LaunchRecord {
  const silence = noAnswer(message);
  return { ...afterError(launch, silence, now, settings, random), prepared: withoutPendingCall(launch.prepared) };
}

/** The Machine says by now that earlier calls were given up: none of them can be sent any more. */
export function afterGivenUp(launch: LaunchRecord, now: number, settings: MachineSettings): LaunchRecord {
  return { ...launch, callsEndAt: endOfCalls(launch, now, settings), emptyLooks: [] };
}

/** The call was not made after all: everything is as before it. */
export function afterNoCall(launch: LaunchRecord, before: LaunchRecord): LaunchRecord {
  const { firstCallAt: _firstCallAt, callsEndAt: _callsEndAt, ...rest } = launch;
  return {
    ...rest,
    unanswered: before.unanswered,
    refused: before.refused,
    emptyLooks: before.emptyLooks,
    ...given({ firstCallAt: before.firstCallAt, callsEndAt: before.callsEndAt }),
  };
}

/**
 * True where every call that may have taken effect was throttled, the newest one a moment ago: the token makes a repeat the same
 * call, and a look-up so soon after would prove nothing.
 */
export function isThrottledOnly(launch: LaunchRecord, now: number, settings: MachineSettings): boolean {
  const { unanswered, throttled = 0, callsEndAt = 0 } = launch;
  return unanswered > 0 && unanswered === throttled && now < callsEndAt + windowMsOf(settings);
}

/**
 * A look-up was answered and found no instance. One that was made while a call might still take effect is remembered only
 * until there is one that counts.
 * @param at when it was made
 */
export function afterEmptyLook(launch: LaunchRecord, at: number, settings: MachineSettings): LaunchRecord {
  const counted = launch.emptyLooks.filter((look) => look >= (launch.callsEndAt ?? look));
  return { ...launch, emptyLooks: withLook(counted, at, windowMsOf(settings)) };
}

/** What a proof by look-ups has to span, in milliseconds. */
export function windowMsOf({ consistencyWindowSeconds }: MachineSettings): number {
  return consistencyWindowSeconds * 1000;
}

/** A request that the cloud has may take effect for as long as a call may take. */
function endOfCalls({ callsEndAt = 0 }: LaunchRecord, now: number, settings: MachineSettings): number {
  return Math.max(callsEndAt, now + settings.callTimeoutSeconds * 1000);
}
