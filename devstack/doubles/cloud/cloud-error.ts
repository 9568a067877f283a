/**
 * The ways in which a cloud refuses a call. Codes are EC2's where EC2 has one.
 */

/** HTTP status a code answers with unless a failure rule names another. As on EC2, a lack of capacity is a 500. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  AuthFailure: 401,
  IdempotentInstanceTerminated: 400,
  IdempotentParameterMismatch: 400,
  IncorrectInstanceState: 400,
  InstanceLimitExceeded: 400,
  InsufficientInstanceCapacity: 500,
  InternalError: 500,
  'InvalidImageID.NotFound': 400,
  'InvalidInstanceID.NotFound': 400,
  InvalidInstanceType: 400,
  InvalidParameterValue: 400,
  InvalidRegion: 400,
  'InvalidZone.NotFound': 400,
  MalformedRequest: 400,
  NoSuchOperation: 404,
  RequestLimitExceeded: 503,
  ServiceUnavailable: 503,
  UnauthorizedOperation: 403,
};

/**
 * Codes that say "this call made no instance". A failure that comes after the effect may not use them: the cloud would
 * lie, which real clouds do not.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  'InstanceLimitExceeded',
  'InsufficientInstanceCapacity',
  'InvalidAMIID.NotFound',
  'InvalidImageID.NotFound',
  'InvalidInstanceType',
  'InvalidParameterValue',
  'InvalidRegion',
  'InvalidZone.NotFound',
  'InvalidSubnetID.NotFound',
  'MalformedRequest',
  'Unsupported',
  'VcpuLimitExceeded',
]);

/** Codes of the front door: the call never reached the part that knows client tokens. */
const FRONT_DOOR: ReadonlySet<string> = new Set([
  'AuthFailure',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'UnauthorizedOperation',
]);

export function isRefusal(code: string): boolean {
  return REFUSALS.has(code);
}

export function isFrontDoorCode(code: string): boolean {
  return FRONT_DOOR.has(code);
}

export interface CloudErrorDetails {
  /** HTTP status. @default the code's own, 400 for a code that is not known */
  readonly status?: number;
  /** Field of the request that is wrong, e.g. `instanceType`. */
  readonly field?: string;
  /** Sent as the header `retry-after`, in whole seconds, rounded up. */
  readonly retryAfterMs?: number;
}

/** A call that is answered with an error. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly code: string;
  readonly status: number;
  readonly details: CloudErrorDetails;

  constructor(code: string, message: string, details: CloudErrorDetails = {}) {
    super(message);
    this.code = code;
    this.status = details.status ?? STATUS_OF_CODE[code] ?? 400;
    this.details = details;
  }
}

/** A call that gets no answer: the connection is reset, or stays open and silent until the client gives up. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly how: 'reset' | 'hang';

  constructor(how: 'reset' | 'hang') {
    super(how === 'reset' ? 'connection reset' : 'no answer');
    this.how = how;
  }

  /** What the ledger calls it. */
  get code(): string {
    return this.how === 'reset' ? 'ConnectionReset' : 'NoAnswer';
  }
}
