import type { CloudFailure } from '../../workflows/machine/launch-record.ts';

/** No capacity: a proof that the call made nothing. */
export const NO_CAPACITY: CloudFailure = {
  code: 'ResourceExhausted',
  retryClass: 'exhausted',
  message: 'no capacity for small in zone-a',
  cloudCode: 'InsufficientInstanceCapacity',
  provesNoInstance: true,
  tokenTerminated: false,
};

/** The cloud does not answer, and nothing is sent to it for a while. */
export const NOT_ASKED: CloudFailure = {
  code: 'Unavailable',
  retryClass: 'soon',
  message: 'the cloud did not answer the last calls: it is not asked for a while',
  cloudCode: 'CloudNotAnswering',
  provesNoInstance: false,
  tokenTerminated: false,
  retryAfterMs: 90_000,
  notSent: true,
};

/** Too many requests: proves nothing. */
export const THROTTLED: CloudFailure = {
  code: 'Throttled',
  retryClass: 'throttled',
  message: 'too many requests',
  cloudCode: 'RequestLimitExceeded',
  provesNoInstance: false,
  tokenTerminated: false,
};

/** The limits that the worker keeps to have no room for the call before 20 s. */
export const NOT_SENT: CloudFailure = {
  code: 'Throttled',
  retryClass: 'throttled',
  message: 'RunInstances was not called yet: 40 calls of the account have their turn before it',
  cloudCode: 'AwaitingTurn',
  provesNoInstance: false,
  tokenTerminated: false,
  retryAfterMs: 20_000,
  notSent: true,
};

/** The cloud's own validation said no. */
export const INVALID_TYPE: CloudFailure = {
  code: 'InvalidArgument',
  retryClass: 'invalid',
  message: 'no such instance type',
  cloudCode: 'InvalidParameterValue',
  field: 'providerSpec.value.instanceType',
  provesNoInstance: true,
  tokenTerminated: false,
};

/** The token is known with other parameters: proves nothing. */
export const MISMATCH: CloudFailure = {
  code: 'FailedPrecondition',
  retryClass: 'soon',
  message: 'the token was used with other parameters',
  cloudCode: 'IdempotentParameterMismatch',
  provesNoInstance: false,
  tokenTerminated: false,
  tokenMismatched: true,
};

/** A server error: proves nothing. */
export const UNAVAILABLE: CloudFailure = {
  code: 'Unavailable',
  retryClass: 'soon',
  message: 'the service is unavailable',
  cloudCode: 'ServiceUnavailable',
  provesNoInstance: false,
  tokenTerminated: false,
};
