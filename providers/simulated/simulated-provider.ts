/** The provider for the simulated cloud (devstack/doubles/cloud/json-front). */

import { orDefault, withCommonDefaults } from '../spec-defaults.ts';
import { createCachedRead } from '../cached-read.ts';
import type { Clock } from '../clock.ts';
import { describeOwner } from '../describe-owner.ts';
import { ProviderError, requireStillDue } from '../provider-error.ts';
import type { Credentials, Idempotency, Instance, LaunchRequest, MachineSearch, Provider } from '../provider.ts';
import type { RateLimits } from '../rate-limited.ts';
import type { SecretReader } from '../secret-reader.ts';
import { checkSpecOffered, isCatalog } from './catalog.ts';
import { CloudClient } from './cloud-client.ts';
import type { CloudCall } from './cloud-client.ts';
import { askedAgain } from '../asked-again.ts';
import { findByMachine, findByMachines } from './find-by-machines.ts';
import { readInstance, readInstances } from './instance-answer.ts';
import { claimTagsOf, launchBody, resolvedRequest } from './launch-request.ts';
import { createLaunchTurns, createLimitedCaller } from './limited-calls.ts';
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

export function createSimulatedProvider(options: SimulatedProviderOptions): SimulatedProvider {
  const {
    idempotency = 'token',
    launchTimeoutMs = 30_000,
    describeTimeoutMs = 10_000,
    terminateTimeoutMs = 15_000,
    rebootTimeoutMs = 15_000,
    catalogTimeoutMs = 5_000,
    catalogTtlMs = 60_000,
    clock,
  } = options;
  const { endpoint, connections = 256 } = options;
  const client = new CloudClient(typeof endpoint === 'string' ? httpWire(endpoint, connections) : endpoint, clock);

  const call = createLimitedCaller(client, options);
  const launchTurns = createLaunchTurns(options);

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

  /** One call of several. */
  const lookingFor =
    (credentials: Credentials, signal?: AbortSignal) =>
    (attempted: string, filters: Readonly<Record<string, unknown>>): Promise<readonly Instance[]> =>
      askedAgain(clock, () => describe(credentials, attempted, filters, signal), signal);

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

  /** A cloud without tokens cannot look for one. */
  const honoured = ({ owner, token }: MachineSearch): MachineSearch =>
    idempotency === 'token' && token !== undefined ? { owner, token } : { owner };

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

    async nodeShapeOf(request) {
      const spec = parseProviderSpec(request.providerSpec);
      const catalog = await readCatalog(credentialsOf(request));
      checkSpecOffered(catalog, spec);
      const { region, zone, instanceType } = spec;
      return catalog.instances && { ...catalog.instances, architecture: 'amd64', instanceType, region, zone };
    },

    ...given({ launchTurns }),

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

    async dryRun(request, signal) {
      const { parameters, userData } = request;
      await call(parameters.credentials, 'dryRun', {
        method: 'POST',
        path: '/instances/dry-run',
        body: launchBody(request, idempotency),
        timeoutMs: describeTimeoutMs,
        signal,
        attempted: `try whether an instance can be launched in ${parameters.zone}`,
        isLaunch: true,
        secrets: userData === undefined ? [] : [userData],
      });
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

    findByMachine: (credentials, owner, token, signal) =>
      findByMachine(lookingFor(credentials, signal), honoured({ owner, ...given({ token }) })),

    findByMachines: (credentials, searches, signal) =>
      findByMachines(lookingFor(credentials, signal), searches.map(honoured)),

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

function isInstanceId(id: string): boolean {
  return /^i-[0-9a-f]{17}$/.test(id);
}
