import type { LaunchRequest } from './provider.ts';

/** Machine Controller Manager's codes (machine/codes), the ones a provider can mean. */
export type ProviderErrorCode =
  | 'Canceled'
  | 'Unknown'
  | 'InvalidArgument'
  | 'DeadlineExceeded'
  | 'NotFound'
  | 'AlreadyExists'
  | 'PermissionDenied'
  | 'ResourceExhausted'
  | 'Throttled'
  | 'FailedPrecondition'
  | 'Aborted'
  | 'Internal'
  | 'Unavailable'
  | 'Unauthenticated';

/**
 * How the workflow goes on after an error; one class per code.
 * - `soon`: seconds, exponential.
 * - `throttled`: as soon, with jitter and a longer ceiling.
 * - `exhausted`: minutes, and an event: capacity or quota.
 * - `invalid`: a condition; waits until the spec changes.
 * - `denied`: minutes: someone has to mend credentials or permissions.
 */
export type RetryClass = 'soon' | 'throttled' | 'exhausted' | 'invalid' | 'denied';

const RETRY_CLASSES: Readonly<Record<ProviderErrorCode, RetryClass>> = {
  Canceled: 'soon',
  Unknown: 'soon',
  InvalidArgument: 'invalid',
  DeadlineExceeded: 'soon',
  NotFound: 'soon',
  AlreadyExists: 'soon',
  PermissionDenied: 'denied',
  ResourceExhausted: 'exhausted',
  Throttled: 'throttled',
  FailedPrecondition: 'soon',
  Aborted: 'soon',
  Internal: 'soon',
  Unavailable: 'soon',
  Unauthenticated: 'denied',
};

export interface ProviderErrorDetails {
  /** What the cloud called it, e.g. `InsufficientInstanceCapacity`; or that it does not answer: {@link CLOUD_NOT_ANSWERING}. */
  readonly cloudCode?: string;
  /** Path of the wrong field, e.g. `providerSpec.value.instanceType`. */
  readonly field?: string;
  /**
   * With InvalidArgument: what is wrong may be mended without a change of the spec: something that it names does not
   * exist yet, or a Secret's content.
   */
  readonly outsideSpec?: boolean;
  /**
   * True only where the cloud answered and its answer proves that this call made no instance: a capacity, quota or
   * validation refusal. Throttling, authorisation, 5xx, time-outs and a mismatched token prove nothing.
   */
  readonly provesNoInstance?: boolean;
  /** The token's instance is terminated (EC2: IdempotentInstanceTerminated). */
  readonly tokenTerminated?: boolean;
  /** The cloud knows the token with other parameters (EC2: IdempotentParameterMismatch): no call under it can succeed. */
  readonly tokenMismatched?: true;
  /**
   * Wait before the next try that the cloud, or a limit that this process keeps to, asks for, in milliseconds; a cloud's is
   * followed for five minutes at most.
   */
  readonly retryAfterMs?: number;
  /** The request never left this process: nothing came of it. */
  readonly notSent?: true;
  /** `retryAfterMs` is this process' own reckoning of when the cloud has room: nothing is gained by waiting longer. */
  readonly paced?: true;
}

/** In the place of the cloud's code: it has not answered (yet), or is not asked for a while because it did not. */
export const CLOUD_NOT_ANSWERING = 'CloudNotAnswering';

/** The same: what was checked before the call is too old by now, so that it was not sent. */
export const CALL_NOT_DUE = 'CallNotDue';

/** A call to the cloud that failed: what was attempted, on what, what came back. Holds no secret. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;
  readonly details: ProviderErrorDetails;

  constructor(code: ProviderErrorCode, message: string, details: ProviderErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get retryClass(): RetryClass {
    return retryClassOf(this.code);
  }
}

/** The same error, which says when this process reckons that the cloud has room for the call. */
export function paced({ code, message, details }: ProviderError, retryAfterMs: number): ProviderError {
  return new ProviderError(code, message, {
    ...details,
    retryAfterMs: Math.max(retryAfterMs, details.retryAfterMs ?? 0),
    paced: true,
  });
}

/** For the moment before a launch or a reboot is sent. @throws ProviderError with `notSent`, {@link CALL_NOT_DUE} */
export function requireStillDue(attempted: string, { isStillDue }: Pick<LaunchRequest, 'isStillDue'>): void {
  if (isStillDue === undefined || isStillDue()) return;
  const message = `${attempted}: not sent, because what was checked before it is too old by now`;
  throw new ProviderError('Aborted', message, { cloudCode: CALL_NOT_DUE, notSent: true });
}

/** The one retry class of a code. */
export function retryClassOf(code: ProviderErrorCode): RetryClass {
  return RETRY_CLASSES[code];
}
