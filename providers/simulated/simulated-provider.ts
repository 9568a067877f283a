/** The provider for the simulated cloud (devstack/simulated-cloud). */

import { orDefault, withCommonDefaults } from '../spec-defaults.ts';
import { createCachedRead } from '../cached-read.ts';
import { describeOwner } from '../describe-owner.ts';
import { ProviderError } from '../provider.ts';
import type { Credentials, Instance, InstanceState, LaunchRequest, Provider } from '../provider.ts';
import { readCredentialsSecret, type SecretReader } from '../secret-reader.ts';
import { checkSpecOffered, isCatalog } from './catalog.ts';
import { CloudClient } from './cloud-client.ts';
import type { CloudCall } from './cloud-client.ts';
import { readInstance, readInstances } from './instance-answer.ts';
import { claimTagsOf, launchBody, resolvedRequest } from './launch-request.ts';
import { parseCredentialsSpec, parseProviderSpec } from './provider-spec.ts';
import { PROVIDER_SPEC_API_VERSION, PROVIDER_SPEC_KIND } from './provider-spec-schema.ts';

export interface SimulatedProviderOptions {
  /** Where the cloud listens, e.g. `http://127.0.0.1:8780`. */
  readonly endpoint: string;
  /** How `credentialsSecret` is read; its key is `token`. @default specs that name one fail with FailedPrecondition */
  readonly readSecret?: SecretReader;
  /** Longest wait for the answer to a launch, in ms. Shorter than the activity that launches. @default 30000 */
  readonly launchTimeoutMs?: number;
  /** Longest wait for the answer to a describe, in ms. @default 10000 */
  readonly describeTimeoutMs?: number;
  /** Longest wait for the answer to a terminate, or to the tagging of an instance, in ms. @default 15000 */
  readonly terminateTimeoutMs?: number;
  /** Longest wait for the catalog, in ms. @default 5000 */
  readonly catalogTimeoutMs?: number;
  /** How long a catalog that was read counts, in ms. @default 60000 */
  readonly catalogTtlMs?: number;
  /** Most connections to the cloud at once. @default 32 */
  readonly connections?: number;
}

export interface SimulatedProvider extends Provider {
  /** Ends the connections; calls that are under way fail. */
  close(): Promise<void>;
}

const DESCRIBE_BATCH_SIZE = 200;
const LIVING: readonly InstanceState[] = ['pending', 'running', 'stopping', 'stopped'];
/** Of the credentials' Secret. */
const TOKEN_KEY = 'token';

export function createSimulatedProvider(options: SimulatedProviderOptions): SimulatedProvider {
  const {
    launchTimeoutMs = 30_000,
    describeTimeoutMs = 10_000,
    terminateTimeoutMs = 15_000,
    catalogTimeoutMs = 5_000,
    catalogTtlMs = 60_000,
  } = options;
  const client = new CloudClient({ endpoint: options.endpoint, connections: options.connections ?? 32 });

  const call = async (credentials: Credentials, request: CloudCall): Promise<unknown> => {
    const bearer = await readToken(credentials, options.readSecret);
    if (bearer === undefined) return client.call(request);
    return client.call({ ...request, bearer, secrets: [...(request.secrets ?? []), bearer] });
  };

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
      await call(credentials, { method: 'POST', path, body: { filters }, timeoutMs, signal, attempted }),
    );
  };

  const readCatalog = createCachedRead(
    async (credentials: Credentials) => {
      const attempted = `read the catalog of region ${credentials.region ?? ''}`;
      const answer = await call(credentials, {
        method: 'GET',
        path: '/catalog',
        timeoutMs: catalogTimeoutMs,
        attempted,
      });
      if (isCatalog(answer)) return answer;
      throw new ProviderError('Unknown', `${attempted}: the cloud's answer is no catalog`);
    },
    { ttlMs: catalogTtlMs },
  );

  const credentialsOf: Provider['credentialsOf'] = ({ owner, providerSpec }) => {
    const { region, credentialsSecret } = parseCredentialsSpec(providerSpec);
    const { namespace } = owner;
    return { namespace, ...(credentialsSecret === undefined ? {} : { secretName: credentialsSecret.name }), region };
  };

  return {
    name: 'simulated',
    providerSpecKinds: [PROVIDER_SPEC_KIND],
    providerSpecApiVersion: PROVIDER_SPEC_API_VERSION,
    describeBatchSize: DESCRIBE_BATCH_SIZE,
    credentialsOf,
    isInstanceId,

    withDefaults(spec, defaults) {
      const region = orDefault(spec['region'], defaults.region);
      return { ...withCommonDefaults(spec, defaults), ...(region === undefined ? {} : { region }) };
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
        ...(userDataSecret === undefined ? {} : { userDataSecret: userDataSecret.name }),
        request: resolvedRequest(spec, request.owner),
      };
    },

    async launch(request: LaunchRequest, signal) {
      const attempted = `launch an instance for ${describeOwner(request.owner)} in ${request.parameters.zone}`;
      const answer = await call(request.parameters.credentials, {
        method: 'POST',
        path: '/instances',
        body: launchBody(request),
        timeoutMs: launchTimeoutMs,
        signal,
        attempted,
        isLaunch: true,
        secrets: request.userData === undefined ? [] : [request.userData],
      });
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

    async findByMachine(credentials, owner, token, signal) {
      const attempted = `find the instances of ${describeOwner(owner)}`;
      const { cluster, namespace, name } = owner;
      const look = (how: string, filters: Readonly<Record<string, unknown>>): Promise<readonly Instance[]> =>
        describe(credentials, `${attempted} ${how}`, filters, signal);
      const found = await Promise.all([
        look('by its uid', { machineUid: owner.uid }),
        ...(token === undefined ? [] : [look('by the client token', { clientToken: token })]),
        ...(cluster === '' ? [] : [look('by its name', { cluster, name, states: LIVING })]),
        look('by its namespace and name', { namespace, name, states: LIVING }),
      ]);
      return [...new Map(found.flat().map((instance) => [instance.id, instance])).values()];
    },

    async claim(credentials, id, owner, signal) {
      const attempted = `tag instance ${id} as that of ${describeOwner(owner)}`;
      const path = `/instances/${encodeURIComponent(id)}/tags`;
      const body = { tags: claimTagsOf(owner) };
      const timeoutMs = terminateTimeoutMs;
      await call(credentials, { method: 'POST', path, body, timeoutMs, signal, attempted });
    },

    async terminate(credentials, id, signal) {
      const attempted = `terminate instance ${id}`;
      const path = `/instances/${encodeURIComponent(id)}/terminate`;
      const timeoutMs = terminateTimeoutMs;
      return readInstance(attempted, await call(credentials, { method: 'POST', path, timeoutMs, signal, attempted }))
        .state;
    },

    list: (credentials, cluster, signal) =>
      describe(credentials, `list the instances of cluster ${cluster}`, { cluster }, signal),

    close: () => client.close(),
  };
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
