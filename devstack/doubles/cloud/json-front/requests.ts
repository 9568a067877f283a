/** The bodies of the simulated cloud's API, checked before anything looks at them. */

import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { InstanceState } from '../../../../providers/provider.ts';
import { BEHAVIOUR_SCHEMA } from '../behaviour.ts';
import type { Behaviour } from '../behaviour.ts';
import { CREDENTIALS_SCHEMA, OUTAGE_SCHEMA } from '../access.ts';
import type { AcceptedCredentials, Outage } from '../access.ts';
import { CloudError } from '../cloud-error.ts';

/** `POST /instances` */
export interface LaunchCall {
  /** Idempotency token, at most 64 ASCII characters. @default none: the call is like no other */
  readonly clientToken?: string;
  /** @default the cloud's region */
  readonly region?: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly image: string;
  /** `cluster`, `namespace`, `name` and `machineUid` tell the owner; others are kept as they are. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly userData?: string;
}

/** `POST /instances/describe`. What is given narrows the answer; `{}` asks for all. */
export interface DescribeCall {
  /** One unknown id fails the whole call, as on EC2. */
  readonly ids?: readonly string[];
  readonly filters?: {
    /** Unknown ids are left out. */
    readonly instanceIds?: readonly string[];
    readonly machineUid?: string;
    readonly clientToken?: string;
    /** Of many Machines at once: one of each list. */
    readonly machineUids?: readonly string[];
    readonly clientTokens?: readonly string[];
    readonly names?: readonly string[];
    readonly cluster?: string;
    /** The tags `namespace` and `name`. */
    readonly namespace?: string;
    readonly name?: string;
    readonly states?: readonly InstanceState[];
  };
}

/** `POST /instances/{id}/tags`: adds these, and replaces those of the same keys. */
export interface TagCall {
  readonly tags: Readonly<Record<string, string>>;
}

/** `POST /instances/{id}/joins` */
export interface JoinsCall {
  readonly joins: boolean;
}

const name = { type: 'string', minLength: 1, maxLength: 256 };
const tags = { type: 'object', maxProperties: 50, additionalProperties: { type: 'string', maxLength: 256 } };
const ids = { type: 'array', items: name, maxItems: 1000 };

export const ajv = new Ajv({ allErrors: false, allowUnionTypes: true });

export const parseLaunch = parserOf(
  'launch',
  ajv.compile<LaunchCall>({
    type: 'object',
    required: ['zone', 'instanceType', 'image'],
    additionalProperties: false,
    properties: {
      clientToken: { type: 'string', pattern: String.raw`^[\x21-\x7e]{1,64}$` },
      region: name,
      zone: name,
      instanceType: name,
      image: name,
      tags,
      userData: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' },
    },
  }),
);

export const parseDescribe = parserOf(
  'describe',
  ajv.compile<DescribeCall>({
    type: 'object',
    additionalProperties: false,
    properties: {
      ids,
      filters: {
        type: 'object',
        additionalProperties: false,
        properties: {
          instanceIds: ids,
          machineUid: name,
          clientToken: name,
          machineUids: ids,
          clientTokens: ids,
          names: ids,
          cluster: name,
          namespace: name,
          name,
          states: { type: 'array', items: name },
        },
      },
    },
  }),
);

export const parseTags = parserOf(
  'tags',
  ajv.compile<TagCall>({
    type: 'object',
    required: ['tags'],
    additionalProperties: false,
    properties: { tags },
  }),
);

export const parseBehaviour = parserOf('behaviour', ajv.compile<Behaviour>(BEHAVIOUR_SCHEMA));
export const parseOutage = parserOf('outage', ajv.compile<Outage>(OUTAGE_SCHEMA));
export const parseCredentials = parserOf('credentials', ajv.compile<AcceptedCredentials>(CREDENTIALS_SCHEMA));
export const parseJoins = parserOf(
  'joins',
  ajv.compile<JoinsCall>({
    type: 'object',
    required: ['joins'],
    additionalProperties: false,
    properties: { joins: { type: 'boolean' } },
  }),
);

/** A check of a body; it throws InvalidParameterValue with the field that is wrong. */
export function parserOf<T>(what: string, isValid: ValidateFunction<T>): (body: unknown) => T {
  return (body) => {
    if (isValid(body)) return body;
    const error = isValid.errors?.[0];
    const field = error === undefined ? '' : fieldOf(error);
    const message = `${what}: ${field === '' ? 'the body' : field} ${error?.message ?? 'is not valid'}`;
    throw new CloudError('InvalidParameterValue', message, field === '' ? {} : { field });
  };
}

function fieldOf(error: ErrorObject): string {
  const path = error.instancePath.split('/').slice(1);
  const missing: unknown = error.params['missingProperty'] ?? error.params['additionalProperty'];
  return [...path, ...(typeof missing === 'string' ? [missing] : [])].join('.');
}
