/** What the simulated cloud's answers mean in the codes that every provider speaks. */

import { Ajv } from 'ajv';
import { compiledLater } from '../compiled-later.ts';
import { ProviderError, type ProviderErrorCode, type ProviderErrorDetails } from '../provider-error.ts';
import { given } from '../given.ts';

interface Meaning {
  readonly code: ProviderErrorCode;
  /** As the answer to a launch, it proves that this call made no instance. */
  readonly refusesLaunch?: true;
  readonly tokenTerminated?: true;
  readonly tokenMismatched?: true;
}

/** One row per code of the cloud. docs/providers/simulated.md shows the same table. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  InsufficientInstanceCapacity: { code: 'ResourceExhausted', refusesLaunch: true },
  InstanceLimitExceeded: { code: 'ResourceExhausted', refusesLaunch: true },
  InvalidInstanceType: { code: 'InvalidArgument', refusesLaunch: true },
  'InvalidImageID.NotFound': { code: 'InvalidArgument', refusesLaunch: true },
  'InvalidZone.NotFound': { code: 'InvalidArgument', refusesLaunch: true },
  InvalidRegion: { code: 'InvalidArgument', refusesLaunch: true },
  InvalidParameterValue: { code: 'InvalidArgument', refusesLaunch: true },
  MalformedRequest: { code: 'InvalidArgument', refusesLaunch: true },
  IdempotentParameterMismatch: { code: 'FailedPrecondition', tokenMismatched: true },
  IdempotentInstanceTerminated: { code: 'FailedPrecondition', tokenTerminated: true },
  IncorrectInstanceState: { code: 'FailedPrecondition' },
  'InvalidInstanceID.NotFound': { code: 'NotFound' },
  RequestLimitExceeded: { code: 'Throttled' },
  AuthFailure: { code: 'Unauthenticated' },
  UnauthorizedOperation: { code: 'PermissionDenied' },
  InternalError: { code: 'Internal' },
  ServiceUnavailable: { code: 'Unavailable' },
};

/** Fields of a launch that the user wrote in providerSpec.value. */
const SPEC_FIELDS: ReadonlySet<string> = new Set(['instanceType', 'image', 'zone', 'region', 'tags']);

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly field?: string };
}

const isErrorBody = compiledLater(() =>
  new Ajv().compile<ErrorBody>({
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'string' }, message: { type: 'string' }, field: { type: 'string' } },
      },
    },
  }),
);

/** An answer that is not a success. */
export interface FailedAnswer {
  /** e.g. `launch an instance for machine default/web-1 in zone-a` */
  readonly attempted: string;
  readonly isLaunch: boolean;
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs?: number;
}

export function providerErrorOf({ attempted, isLaunch, status, body, retryAfterMs }: FailedAnswer): ProviderError {
  const retry = given({ retryAfterMs });
  if (!isErrorBody(body)) {
    const message = `${attempted}: the cloud answered HTTP ${status} without an error code`;
    return new ProviderError(codeOfStatus(status), message, retry);
  }
  const { code: cloudCode, message, field } = body.error;
  const meaning = MEANINGS[cloudCode] ?? { code: codeOfStatus(status) };
  const details: ProviderErrorDetails = {
    cloudCode,
    ...retry,
    ...given({
      field: field !== undefined && SPEC_FIELDS.has(field) ? `providerSpec.value.${field}` : undefined,
      provesNoInstance: isLaunch ? meaning.refusesLaunch : undefined,
      tokenTerminated: meaning.tokenTerminated,
      tokenMismatched: meaning.tokenMismatched,
    }),
  };
  const text = `${attempted}: the cloud answered HTTP ${status} ${cloudCode}: ${message}`;
  return new ProviderError(meaning.code, text, details);
}

/** For codes that are not in the table. A 4xx of unknown meaning is retried: it may be no fault of the spec. */
function codeOfStatus(status: number): ProviderErrorCode {
  if (status === 401) return 'Unauthenticated';
  if (status === 403) return 'PermissionDenied';
  if (status === 429) return 'Throttled';
  if (status === 502 || status === 503 || status === 504) return 'Unavailable';
  return status >= 500 ? 'Internal' : 'Unknown';
}
