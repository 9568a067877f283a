/** The bodies of the simulated cloud's API, checked before anything looks at them. */

import type { DescribeCall } from '../fleet.ts';
import { ajv, parserOf } from '../parser.ts';

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

/** `POST /instances/{id}/tags`: adds these, and replaces those of the same keys. */
export interface TagCall {
  readonly tags: Readonly<Record<string, string>>;
}

const name = { type: 'string', minLength: 1, maxLength: 256 };
const tags = { type: 'object', maxProperties: 50, additionalProperties: { type: 'string', maxLength: 256 } };
const ids = { type: 'array', items: name, maxItems: 1000 };

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
