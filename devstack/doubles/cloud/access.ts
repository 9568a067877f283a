/** Who gets into a cloud at all: outages and credentials. Settable at run time, survives a restart. */

import { CloudError, NoAnswer } from './cloud-error.ts';
import { ajv, parserOf } from './parser.ts';

/** What `PUT /outage` takes. Only the cloud's API is away; health, ledger and switches still answer. */
export interface Outage {
  /**
   * `unavailable`: every call is answered with 503 ServiceUnavailable; `reset`: connections are cut; `hang`: nothing
   * comes; `none`: it works. (To have connections refused, kill the process: it comes back with all it knew.)
   */
  readonly mode: 'none' | 'unavailable' | 'reset' | 'hang';
  /** How long it lasts, in ms. @default until it is set otherwise */
  readonly forMs?: number;
}

export interface Access {
  readonly outage: Outage['mode'];
  /** End of the outage, in ms since 1970; null: open-ended. */
  readonly outageUntil: number | null;
  /** Bearer tokens that are let in; null: everybody, with or without one. */
  readonly acceptedTokens: readonly string[] | null;
}

export const OPEN_ACCESS: Access = { outage: 'none', outageUntil: null, acceptedTokens: null };

/** Throws what a call with this Authorization header gets instead of an answer; returns where it may go on. */
export function checkAccess(access: Access, authorization: string | undefined, now: number): void {
  if (access.outage !== 'none' && (access.outageUntil === null || now < access.outageUntil)) {
    throw access.outage === 'unavailable'
      ? new CloudError('ServiceUnavailable', 'The cloud is away.')
      : new NoAnswer(access.outage);
  }
  if (access.acceptedTokens === null) return;
  const token = /^Bearer (.*)$/.exec(authorization ?? '')?.[1];
  if (token === undefined || !access.acceptedTokens.includes(token)) {
    throw new CloudError('AuthFailure', 'The cloud was not able to validate the credentials of this call.');
  }
}

export const parseOutage = parserOf(
  'outage',
  ajv.compile<Outage>({
    type: 'object',
    required: ['mode'],
    additionalProperties: false,
    properties: {
      mode: { enum: ['none', 'unavailable', 'reset', 'hang'] },
      forMs: { type: 'integer', minimum: 0 },
    },
  }),
);

/** What `PUT /credentials` takes. */
export interface AcceptedCredentials {
  readonly acceptedTokens: readonly string[] | null;
}

export const parseCredentials = parserOf(
  'credentials',
  ajv.compile<AcceptedCredentials>({
    type: 'object',
    required: ['acceptedTokens'],
    additionalProperties: false,
    properties: { acceptedTokens: { type: ['array', 'null'], items: { type: 'string', minLength: 1 } } },
  }),
);
