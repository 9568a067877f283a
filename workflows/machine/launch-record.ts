import type { PreparedLaunch } from '../../k8s/model/machine.ts';
import type { ProviderErrorCode, RetryClass } from '../../providers/provider.ts';
import { retryMs, turnMs } from './await-turn.ts';
import type { MachineSettings } from './settings.ts';

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
  /** When look-ups were answered and found nothing. */
  readonly emptyLooks: readonly number[];
  /** Failures in a row, over all attempts: for the back-off. */
  readonly failures: number;
  /** Nothing is tried before this. */
  readonly waitUntil?: number;
  readonly lastError?: CloudFailure;
  /** It waits because the limits of the cloud have no room for its call: how it stands with them. */
  readonly awaitsTurn?: string;
}

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
  readonly retryAfterMs?: number;
  /** The call never left the worker: the limits of the cloud had no room for it. */
  readonly notSent?: true;
  /** `retryAfterMs` says when the cloud has room, as the worker reckons: there is no reason to wait longer. */
  readonly paced?: true;
}

/** An attempt that nobody called yet. */
export function freshLaunch(prepared: PreparedLaunch, failures = 0): LaunchRecord {
  return { prepared, unanswered: 0, refused: false, tokenTerminated: false, emptyLooks: [], failures };
}

/** An attempt found in the Machine's status that this workflow did not prepare: it may have been called. */
export function takenOverLaunch(prepared: PreparedLaunch, now: number, settings: MachineSettings): LaunchRecord {
  return {
    ...freshLaunch(prepared),
    firstCallAt: Math.min(Date.parse(prepared.preparedAt), now),
    callsEndAt: now + settings.callTimeoutSeconds * 1000,
    unanswered: 1,
  };
}

/** True where an instance may exist that nobody has seen. */
export function isOutcomeUnknown(launch: LaunchRecord): boolean {
  if (launch.firstCallAt === undefined || launch.tokenTerminated) return false;
  return launch.unanswered > 0 || !launch.refused;
}

/** The cloud is about to be called: from here on its answer is owed. */
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
 * The call was answered with an error. Only a refusal that proves that no instance was made settles the call; any other
 * error leaves it as open as silence does, because the instance may have been made before the error.
 */
export function afterError(
  launch: LaunchRecord,
  failure: CloudFailure,
  now: number,
  settings: MachineSettings,
  random: number,
): LaunchRecord {
  const failures = launch.lastError?.code === failure.code ? launch.failures + 1 : 1;
  const retryClass = failure.retryClass === 'invalid' ? 'soon' : failure.retryClass;
  const waitMs = retryMs(settings, failure, retryClass, failures, random);
  const tokenIsOld = failure.cloudCode === 'IdempotentParameterMismatch';
  return {
    ...withoutTurn(launch),
    unanswered: failure.provesNoInstance ? launch.unanswered - 1 : launch.unanswered,
    refused: failure.provesNoInstance,
    tokenTerminated: launch.tokenTerminated || failure.tokenTerminated,
    failures,
    // A spec that is proved invalid is not tried again; without the proof this call is, and not at once.
    waitUntil:
      failure.tokenTerminated || (failure.retryClass === 'invalid' && failure.provesNoInstance) ? now : now + waitMs,
    lastError: failure,
    ...(tokenIsOld ? { settleOnly: 'the cloud knows this token with other parameters' } : {}),
  };
}

function withoutTurn({ awaitsTurn: _awaitsTurn, ...launch }: LaunchRecord): LaunchRecord {
  return launch;
}

/** The cloud answered the call to launch with an error; see {@link afterError}. */
export function afterRefusal(
  launch: LaunchRecord,
  failure: CloudFailure,
  now: number,
  settings: MachineSettings,
  random: number,
): LaunchRecord {
  const answered = afterError(launch, failure, now, settings, random);
  return failure.code === 'Throttled' ? { ...answered, throttled: (launch.throttled ?? 0) + 1 } : answered;
}

/** No answer: the worker died or the call timed out. It may still take effect until its time-out has passed. */
export function afterSilence(
  launch: LaunchRecord,
  message: string,
  now: number,
  settings: MachineSettings,
  random: number,
): LaunchRecord {
  const silence: CloudFailure = {
    code: 'DeadlineExceeded',
    retryClass: 'soon',
    message,
    provesNoInstance: false,
    tokenTerminated: false,
  };
  return {
    ...afterError(launch, silence, now, settings, random),
    callsEndAt: now + settings.callTimeoutSeconds * 1000,
  };
}

/** The call was not made after all: what was owed is not owed. */
export function afterNoCall(launch: LaunchRecord, before: LaunchRecord): LaunchRecord {
  const { firstCallAt: _firstCallAt, callsEndAt: _callsEndAt, ...rest } = launch;
  return {
    ...rest,
    unanswered: before.unanswered,
    refused: before.refused,
    emptyLooks: before.emptyLooks,
    ...(before.firstCallAt === undefined ? {} : { firstCallAt: before.firstCallAt }),
    ...(before.callsEndAt === undefined ? {} : { callsEndAt: before.callsEndAt }),
  };
}

/** A call, or the look-up before it, did not leave the worker: nothing is known that was not, and it is tried at its turn. */
export function afterNotSent(launch: LaunchRecord, failure: CloudFailure, now: number): LaunchRecord {
  return { ...launch, waitUntil: now + turnMs(failure), awaitsTurn: failure.message };
}

/**
 * True where every call that may have taken effect was throttled, the newest one a moment ago: the token makes a repeat the same
 * call, and a look-up so soon after would prove nothing.
 */
export function isThrottledOnly(launch: LaunchRecord, now: number, settings: MachineSettings): boolean {
  const { unanswered, throttled = 0, callsEndAt = 0 } = launch;
  const isRecent = now < callsEndAt + settings.consistencyWindowSeconds * 1000;
  return isRecent && unanswered > 0 && unanswered === throttled;
}

/** A look-up was answered and found no instance. */
export function afterEmptyLook(launch: LaunchRecord, now: number): LaunchRecord {
  return { ...launch, emptyLooks: [...launch.emptyLooks, now].slice(-10) };
}
