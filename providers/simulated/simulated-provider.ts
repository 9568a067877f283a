/** The provider for the simulated cloud (devstack/doubles/cloud/json-front). */

import { hash } from 'node:crypto';
import { orDefault, withCommonDefaults } from '../spec-defaults.ts';
import { createCachedRead } from '../cached-read.ts';
import type { Clock } from '../clock.ts';
import { describeOwner } from '../describe-owner.ts';
import { machineKeyOf } from '../machine-key.ts';
import { paced, ProviderError, requireStillDue } from '../provider-error.ts';
import type {
  Credentials,
  Idempotency,
  Instance,
  InstanceOwner,
  InstanceState,
  LaunchRequest,
  Provider,
} from '../provider.ts';
import { ThrottledCall, type LimitedCall, type RateLimits } from '../rate-limited.ts';
import { readCredentialsSecret, type SecretReader } from '../secret-reader.ts';
import { checkSpecOffered, isCatalog } from './catalog.ts';
import { CloudClient } from './cloud-client.ts';
import type { CloudCall } from './cloud-client.ts';
import { readInstance, readInstances } from './instance-answer.ts';
import { claimTagsOf, launchBody, resolvedRequest } from './launch-request.ts';
import { parseCredentialsSpec, parseProviderSpec } from './provider-spec.ts';
import { httpWire } from './wire.ts';
import { PROVIDER_SPEC_API_VERSION, PROVIDER_SPEC_KIND } from './provider-spec-schema.ts';
import type { Wire } from '../wire.ts';
import { given } from '../given.ts';

export interface SimulatedProviderOptions {
  readonly clock: Clock;
  /** Where the cloud listens, e.g. `http://127.0.0.1:8780`, or what carries calls to it. */
  readonly endpoint: string | Wire;
  /** Whether the cloud is sent tokens, or is asked by look-up only. @default 'token' */
  readonly idempotency?: Idempotency;
  /** How `credentialsSecret` is read; its key is `token`. @default specs that name one fail with FailedPrecondition */
  readonly readSecret?: SecretReader;
  /** Longest wait for the answer to a launch, in ms. Shorter than the activity that launches. @default 30000 */
  readonly launchTimeoutMs?: number;
  /** Longest wait for the answer to a describe, in ms. @default 10000 */
  readonly describeTimeoutMs?: number;
  /** Longest wait for the answer to a terminate, or to the tagging of an instance, in ms. @default 15000 */
  readonly terminateTimeoutMs?: number;
  /** Longest wait for the answer to a reboot, in ms. Shorter than the activity that asks for it. @default 15000 */
  readonly rebootTimeoutMs?: number;
  /** Longest wait for the catalog, in ms. @default 5000 */
  readonly catalogTimeoutMs?: number;
  /** How long a catalog that was read counts, in ms. @default 60000 */
  readonly catalogTtlMs?: number;
  /** Most connections to the cloud at once. @default 256 */
  readonly connections?: number;
  /** What calls are held to: `launch`, `describe`, `terminate`, `reboot`, `catalog`. @default nothing */
  readonly limits?: RateLimits;
}

export interface SimulatedProvider extends Provider {
  /** Ends the connections; calls that are under way fail. */
  close(): Promise<void>;
}

const DESCRIBE_BATCH_SIZE = 200;
const LIVING: readonly InstanceState[] = ['pending', 'running', 'stopping', 'stopped'];
/** Longest wait of a launch for its turn under the limits, before it is checked, and of any call that is sent, in milliseconds. */
const LAUNCH_PATIENCE_MS = 5_000;
const PATIENCE_MS = 1_000;
/** Of the credentials' Secret. */
const TOKEN_KEY = 'token';

export function createSimulatedProvider(options: SimulatedProviderOptions): SimulatedProvider {
  const {
    idempotency = 'token',
    launchTimeoutMs = 30_000,
    describeTimeoutMs = 10_000,
    terminateTimeoutMs = 15_000,
    rebootTimeoutMs = 15_000,
    catalogTimeoutMs = 5_000,
    catalogTtlMs = 60_000,
    limits,
    clock,
  } = options;
  const { endpoint, connections = 256 } = options;
  const client = new CloudClient(typeof endpoint === 'string' ? httpWire(endpoint, connections) : endpoint, clock);

  /** @param key the same for every repeat of the call. @default it keeps no place where it is turned away */
  const call = async (credentials: Credentials, action: Action, request: CloudCall, key?: string): Promise<unknown> => {
    const bearer = await readToken(credentials, options.readSecret);
    const send = () =>
      bearer === undefined
        ? client.call(request)
        : client.call({ ...request, bearer, secrets: [...(request.secrets ?? []), bearer] });
    if (limits === undefined) return send();
    try {
      return await limits.run({ ...limited(credentials, bearer, action), key }, send, isThrottling);
    } catch (error) {
      if (error instanceof ThrottledCall && error.cause instanceof ProviderError) {
        throw paced(error.cause, error.retryAfterMs);
      }
      throw error;
    }
  };

  /** A cloud without tokens cannot look for one. */
  const honoured = (token: string | undefined) => (idempotency === 'token' ? token : undefined);

  const describe = async (
    credentials: Credentials,
    attempted: string,
    filters: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<readonly Instance[]> => {
    const path = '/instances/describe';
    const timeoutMs = describeTimeoutMs;
    return readInstances(
      attempted,
      await call(credentials, 'describe', { method: 'POST', path, body: { filters }, timeoutMs, signal, attempted }),
    );
  };

  const readCatalog = createCachedRead(
    async (credentials: Credentials) => {
      const attempted = `read the catalog of region ${credentials.region ?? ''}`;
      const answer = await call(credentials, 'catalog', {
        method: 'GET',
        path: '/catalog',
        timeoutMs: catalogTimeoutMs,
        attempted,
      });
      if (isCatalog(answer)) return answer;
      throw new ProviderError('Unknown', `${attempted}: the cloud's answer is no catalog`);
    },
    { ttlMs: catalogTtlMs, clock },
  );

  const credentialsOf: Provider['credentialsOf'] = ({ owner, providerSpec }) => {
    const { region, credentialsSecret } = parseCredentialsSpec(providerSpec);
    const { namespace } = owner;
    return { namespace, ...given({ secretName: credentialsSecret?.name }), region };
  };

  return {
    name: 'simulated',
    providerSpecKinds: [PROVIDER_SPEC_KIND],
    providerSpecApiVersion: PROVIDER_SPEC_API_VERSION,
    describeBatchSize: DESCRIBE_BATCH_SIZE,
    idempotency,
    credentialsOf,
    isInstanceId,

    withDefaults(spec, defaults) {
      const region = orDefault(spec['region'], defaults.region);
      return { ...withCommonDefaults(spec, defaults), ...given({ region }) };
    },

    async resolve(request) {
      const spec = parseProviderSpec(request.providerSpec);
      const credentials = credentialsOf(request);
      checkSpecOffered(await readCatalog(credentials), spec);
      const { zone, instanceType, userDataSecret } = spec;
      return {
        provider: 'simulated',
        credentials,
        zone,
        instanceType,
        ...given({ userDataSecret: userDataSecret?.name }),
        request: resolvedRequest(spec, request.owner),
      };
    },

    ...(limits === undefined
      ? {}
      : {
          launchTurns: {
            async lineUp(credentials, token) {
              const bearer = await readToken(credentials, options.readSecret);
              limits.lineUp({ ...limited(credentials, bearer, 'launch'), key: token });
            },
            async take(credentials, token) {
              const bearer = await readToken(credentials, options.readSecret);
              await limits.turn({
                ...limited(credentials, bearer, 'launch'),
                key: token,
                patienceMs: LAUNCH_PATIENCE_MS,
              });
            },
          },
        }),

    async launch(request: LaunchRequest, signal) {
      const attempted = `launch an instance for ${describeOwner(request.owner)} in ${request.parameters.zone}`;
      const sent: CloudCall = {
        method: 'POST',
        path: '/instances',
        body: launchBody(request, idempotency),
        timeoutMs: launchTimeoutMs,
        signal,
        attempted,
        isLaunch: true,
        beforeSending: () => requireStillDue(attempted, request),
        secrets: request.userData === undefined ? [] : [request.userData],
      };
      const answer = await call(request.parameters.credentials, 'launch', sent, request.token);
      return readInstance(attempted, answer);
    },

    async describe(credentials, ids, signal) {
      if (ids.length === 0) return [];
      const attempted = ids.length === 1 ? `describe instance ${ids[0]}` : `describe ${ids.length} instances`;
      if (ids.length > DESCRIBE_BATCH_SIZE) {
        throw new ProviderError('InvalidArgument', `${attempted}: at most ${DESCRIBE_BATCH_SIZE} go in one call`);
      }
      const wellFormed = ids.filter(isInstanceId);
      return wellFormed.length === 0 ? [] : describe(credentials, attempted, { instanceIds: wellFormed }, signal);
    },

    async findByMachine(credentials, owner, launchToken, signal) {
      const token = honoured(launchToken);
      const attempted = `find the instances of ${describeOwner(owner)}`;
      const { clusterName, namespace, name } = owner;
      const look = (how: string, filters: Readonly<Record<string, unknown>>): Promise<readonly Instance[]> =>
        describe(credentials, `${attempted} ${how}`, filters, signal);
      const found = await Promise.all([
        look('by its uid', { machineUid: owner.uid }),
        ...(token === undefined ? [] : [look('by the client token', { clientToken: token })]),
        ...(clusterName === '' ? [] : [look('by its name', { cluster: clusterName, name, states: LIVING })]),
        look('by its namespace and name', { namespace, name, states: LIVING }),
      ]);
      return [...new Map(found.flat().map((instance) => [instance.id, instance])).values()];
    },

    async findByMachines(credentials, searches, signal) {
      const attempted = `find the instances of ${searches.length} Machines`;
      const look = (how: string, filters: Readonly<Record<string, unknown>>): Promise<readonly Instance[]> =>
        describe(credentials, `${attempted} ${how}`, filters, signal);
      const tokens = searches.flatMap(({ token }) => honoured(token) ?? []);
      const [byUid, byToken, byName] = await Promise.all([
        look('by uid', { machineUids: searches.map(({ owner }) => owner.uid) }),
        tokens.length === 0 ? [] : look('by client token', { clientTokens: tokens }),
        look('by name', { names: searches.map(({ owner }) => owner.name), states: LIVING }),
      ]);
      return searches.map(({ owner, token }) => {
        const found = [
          ...byUid.filter(({ machineUid }) => machineUid === owner.uid),
          ...byToken.filter((instance) => token !== undefined && instance.token === token),
          ...byName.filter((instance) => isNamesake(owner, instance)),
        ];
        return [...new Map(found.map((instance) => [instance.id, instance])).values()];
      });
    },

    async claim(credentials, id, owner, signal) {
      const attempted = `tag instance ${id} as that of ${describeOwner(owner)}`;
      const path = `/instances/${encodeURIComponent(id)}/tags`;
      const body = { tags: claimTagsOf(owner) };
      const timeoutMs = terminateTimeoutMs;
      await call(credentials, 'tag', { method: 'POST', path, body, timeoutMs, signal, attempted }, id);
    },

    async terminate(credentials, id, signal) {
      const attempted = `terminate instance ${id}`;
      const path = `/instances/${encodeURIComponent(id)}/terminate`;
      const timeoutMs = terminateTimeoutMs;
      const sent: CloudCall = { method: 'POST', path, timeoutMs, signal, attempted };
      return readInstance(attempted, await call(credentials, 'terminate', sent, id)).state;
    },

    async reboot(request, signal) {
      const { credentials, id } = request;
      const attempted = `reboot instance ${id}`;
      const sent: CloudCall = {
        method: 'POST',
        path: `/instances/${encodeURIComponent(id)}/reboot`,
        timeoutMs: rebootTimeoutMs,
        signal,
        attempted,
        beforeSending: () => requireStillDue(attempted, request),
      };
      await call(credentials, 'reboot', sent, `reboot ${id}`);
    },

    list: (credentials, clusterName, signal) =>
      describe(credentials, `list the instances of cluster ${clusterName}`, { cluster: clusterName }, signal),

    close: () => client.close(),
  };
}

/** It bears the Machine's name in its cluster, or its namespace and name. */
function isNamesake({ clusterName, namespace, name }: InstanceOwner, instance: Instance): boolean {
  if (instance.machineKey === machineKeyOf({ namespace, name })) return true;
  return instance.name === name && clusterName !== '' && instance.clusters?.includes(clusterName) === true;
}

/** Calls of the cloud's API, as its limits name them. */
type Action = 'launch' | 'describe' | 'terminate' | 'reboot' | 'tag' | 'catalog';

/** To this cloud, who shows another token is another account. */
function limited({ region = '' }: Credentials, bearer: string | undefined, action: Action): LimitedCall {
  const credentials = bearer === undefined ? '' : hash('sha256', bearer, 'hex');
  return { credentials, region, action, patienceMs: PATIENCE_MS };
}

function isThrottling(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'Throttled';
}

function isInstanceId(id: string): boolean {
  return /^i-[0-9a-f]{17}$/.test(id);
}

/** The token of the credentials' Secret; undefined: the call goes without. */
async function readToken(credentials: Credentials, readSecret: SecretReader | undefined): Promise<string | undefined> {
  const secret = await readCredentialsSecret(credentials, readSecret);
  if (secret === undefined) return undefined;
  const token = secret.textOf(TOKEN_KEY);
  if (token === '') throw secret.missing(TOKEN_KEY);
  return token;
}
