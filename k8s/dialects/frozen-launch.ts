import { Ajv } from 'ajv';
import { compiledLater } from '../../providers/compiled-later.ts';
import { IDEMPOTENCIES } from '../../providers/provider.ts';
import type { PreparedLaunch } from '../model/machine.ts';

const TEXT = { type: 'string' } as const;
const TEXT_NOT_EMPTY = { type: 'string', minLength: 1 } as const;

/** What has to be in a frozen launch before it may be repeated; the rest of its parameters is the provider's own. */
const FROZEN_LAUNCH = {
  type: 'object',
  required: ['attempt', 'token', 'preparedAt', 'specHash', 'parameters', 'idempotency'],
  properties: {
    attempt: { type: 'integer', minimum: 1 },
    token: TEXT_NOT_EMPTY,
    preparedAt: TEXT,
    specHash: TEXT,
    idempotency: { enum: IDEMPOTENCIES },
    account: TEXT,
    callsGivenUp: { type: 'integer', minimum: 0 },
    userData: {
      type: 'object',
      required: ['name', 'uid', 'resourceVersion'],
      properties: { name: TEXT, uid: TEXT, resourceVersion: TEXT },
    },
    parameters: {
      type: 'object',
      required: ['provider', 'credentials', 'request'],
      properties: {
        provider: TEXT_NOT_EMPTY,
        credentials: { type: 'object', properties: { secretName: TEXT, region: TEXT } },
        zone: TEXT,
        instanceType: TEXT,
        userDataSecret: TEXT,
        loadBalancers: {
          type: 'array',
          items: { type: 'object', required: ['name', 'type'], properties: { name: TEXT, type: TEXT } },
        },
        request: { type: 'object' },
      },
    },
  },
};

const isFrozenLaunch = compiledLater(() => new Ajv({ logger: false }).compile<PreparedLaunch>(FROZEN_LAUNCH));

/** @returns what keeps a stored launch from being read, e.g. `launch.parameters must be object`; undefined: nothing does */
export function problemOfLaunch(stored: unknown, path: string): string | undefined {
  if (stored === undefined || isFrozenLaunch(stored)) return undefined;
  const [error] = isFrozenLaunch.errors ?? [];
  return `${path}${(error?.instancePath ?? '').replaceAll('/', '.')} ${error?.message ?? 'is malformed'}`;
}

/**
 * A stored launch; undefined where it cannot be read.
 * @param namespace the Machine's: credentials are read from nowhere else, whatever its status says
 */
export function readLaunch(stored: unknown, namespace: string): PreparedLaunch | undefined {
  if (!isFrozenLaunch(stored)) return undefined;
  const { parameters } = stored;
  return { ...stored, parameters: { ...parameters, credentials: { ...parameters.credentials, namespace } } };
}
