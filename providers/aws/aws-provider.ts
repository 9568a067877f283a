/** The provider for Amazon EC2. */

import {
  CreateTagsCommand,
  RebootInstancesCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Filter } from '@aws-sdk/client-ec2';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { createCachedRead } from '../cached-read.ts';
import type { Clock } from '../clock.ts';
import { describeOwner } from '../describe-owner.ts';
import { invalidField } from '../invalid-spec.ts';
import { ProviderError, requireStillDue } from '../provider-error.ts';
import type { Credentials, Instance, Provider } from '../provider.ts';
import type { RateLimits } from '../rate-limited.ts';
import type { SecretReader } from '../secret-reader.ts';
import { callAws } from './aws-call.ts';
import type { AwsCall } from './aws-call.ts';
import { createAwsClientPool } from './aws-clients.ts';
import type { AwsClients, AwsEndpoints } from './aws-clients.ts';
import type { AwsKeys } from './credentials.ts';
import { describeInstances } from './describe-instances.ts';
import type { DescribeRequest } from './describe-instances.ts';
import { createEc2Lookups } from './ec2-lookups.ts';
import { readInstance, readState } from './instance-answer.ts';
import { findByMachines } from './find-by-machines.ts';
import { resolvedRequest, runInstancesInput } from './launch-request.ts';
import { limitedLaunch } from './limit-calls.ts';
import { createLoadBalancing } from './load-balancing.ts';
import { claimTagsOf, clusterTag } from './owner-tags.ts';
import { instanceIdOf, isInstanceId, regionOfZone } from './provider-id.ts';
import { parseCredentialsSpec, parseLoadBalancers, parseProviderSpec } from './provider-spec.ts';
import { PROVIDER_SPEC_API_VERSION, PROVIDER_SPEC_KIND } from './provider-spec-schema.ts';
import { resolveSpec } from './resolve-spec.ts';
import { withAwsDefaults } from './with-defaults.ts';
import type { Wire } from '../wire.ts';
import { given } from '../given.ts';

export interface AwsProviderOptions {
  readonly clock: Clock;
  /** How `credentialsSecret` is read. @default specs that name one fail with FailedPrecondition */
  readonly readSecret?: SecretReader;
  /** Region of specs that name neither region nor zone. @default AWS_REGION, AWS_DEFAULT_REGION, or none */
  readonly region?: string;
  /** Keys for specs without a `credentialsSecret`. @default what the SDK finds: environment, files, roles */
  readonly defaultKeys?: () => Promise<AwsKeys>;
  /** What carries requests to AWS. @default HTTP */
  readonly wire?: Wire;
  /** URLs of the services. @default AWS_ENDPOINT_URL_EC2 and its like, else those of AWS */
  readonly endpoints?: AwsEndpoints;
  /** Longest wait for the answer to a launch, in ms. Shorter than the activity that launches. @default 30000 */
  readonly launchTimeoutMs?: number;
  /** Longest wait for the answer to a describe with all its pages, in ms. @default 10000 */
  readonly describeTimeoutMs?: number;
  /** Longest wait for all instances of a cluster, in ms. @default 25000 */
  readonly listTimeoutMs?: number;
  /** Longest wait for the answer to a terminate, or to the tagging of an instance, in ms. @default 15000 */
  readonly terminateTimeoutMs?: number;
  /** Longest wait for the answer to a reboot, in ms. Shorter than the activity that asks for it. @default 15000 */
  readonly rebootTimeoutMs?: number;
  /** Longest wait for STS to tell the account, in ms. @default 3000 */
  readonly accountTimeoutMs?: number;
  /** How long the account of some credentials counts, and that STS did not tell it, in ms. @default 30000 */
  readonly accountTtlMs?: number;
  /** Longest wait for each of the reads of a resolve, of which two follow each other, in ms. @default 10000 */
  readonly resolveTimeoutMs?: number;
  /** Longest wait for all that one load balancer has to be asked, in ms. @default 20000 */
  readonly loadBalancerTimeoutMs?: number;
  /** How long what a resolve has read counts, in ms. @default 60000 */
  readonly resolveTtlMs?: number;
  /** How long a credentials Secret that was read counts, in ms. @default 5000 */
  readonly secretTtlMs?: number;
  /**
   * Most connections to one service at once; further calls wait for one, which counts as a wait for a connection. @default
   * 256: more than a worker has launches under way, so that none fails behind others that take their time
   */
  readonly connections?: number;
  /** Longest wait for a connection, in ms. @default 5000 */
  readonly connectionTimeoutMs?: number;
  /** What calls of EC2 are held to; the wait for a turn counts for the times above. @default nothing */
  readonly limits?: RateLimits;
}

export interface AwsProvider extends Provider {
  /** Ends the connections; calls that are under way fail. */
  close(): void;
}

const NAME = 'aws';
/** EC2 takes 200 values in one filter. */
const DESCRIBE_BATCH_SIZE = 200;
const LIST_PAGE_SIZE = 1_000;

type Call<T> = Omit<AwsCall<T>, 'send' | 'secrets' | 'clock'>;

export function createAwsProvider(options: AwsProviderOptions): AwsProvider {
  const {
    launchTimeoutMs = 30_000,
    describeTimeoutMs = 10_000,
    listTimeoutMs = 25_000,
    terminateTimeoutMs = 15_000,
    rebootTimeoutMs = 15_000,
    resolveTimeoutMs = 10_000,
    loadBalancerTimeoutMs = 20_000,
  } = options;
  const pool = createAwsClientPool({
    readSecret: options.readSecret,
    endpoints: options.endpoints ?? {},
    defaultKeys: options.defaultKeys,
    wire: options.wire,
    connections: options.connections ?? 256,
    connectionTimeoutMs: options.connectionTimeoutMs ?? 5_000,
    secretTtlMs: options.secretTtlMs ?? 5_000,
    limits: options.limits,
    clock: options.clock,
  });
  const { clock, limits } = options;
  const defaultRegion = (): string | undefined =>
    options.region ?? (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || undefined);

  const regionOf = ({ region = defaultRegion() }: Credentials): string => region ?? refuseRegion();

  /** @param secrets what must not come back in an error, besides the keys */
  const call = async <T>(
    credentials: Credentials,
    request: Call<T>,
    send: (clients: AwsClients, abortSignal: AbortSignal) => Promise<T>,
    secrets: readonly Uint8Array[] = [],
  ): Promise<T> => {
    const region = regionOf(credentials);
    let clients: AwsClients | undefined;
    return callAws({
      ...request,
      clock,
      secrets: () => [...secrets, ...(clients?.secrets() ?? [])],
      send: async (abortSignal) => {
        clients = await pool.clientsFor(credentials, region);
        return send(clients, abortSignal);
      },
    });
  };

  const lookups = createEc2Lookups(
    ({ credentials, field }, attempted, send) =>
      call(credentials, { attempted, field, purpose: 'resolve', timeoutMs: resolveTimeoutMs }, ({ ec2 }, abortSignal) =>
        send(ec2, abortSignal),
      ),
    options.resolveTtlMs ?? 60_000,
    clock,
  );

  const describe = async (
    credentials: Credentials,
    request: Omit<DescribeRequest, 'region'> & { readonly timeoutMs?: number },
    signal?: AbortSignal,
  ): Promise<readonly Instance[]> => {
    const { attempted, timeoutMs = describeTimeoutMs } = request;
    const region = regionOf(credentials);
    return call(credentials, { attempted, purpose: 'other', timeoutMs, signal }, ({ ec2 }, abortSignal) =>
      describeInstances(ec2, { ...request, region }, abortSignal),
    );
  };

  /** By the keys as well: others in the same Secret are another account's. */
  const readAccount = createCachedRead(
    async ({ credentials }: { readonly credentials: Credentials; readonly keys: string }) => {
      const attempted = 'ask for the account of the credentials';
      const timeoutMs = options.accountTimeoutMs ?? 3_000;
      try {
        const { Account } = await call(
          credentials,
          { attempted, purpose: 'other', timeoutMs },
          ({ sts }, abortSignal) => sts.send(new GetCallerIdentityCommand({}), { abortSignal }),
        );
        return Account;
      } catch (error) {
        // A network without a way to STS is no reason not to go on; whoever asks says that nobody told.
        if (error instanceof ProviderError) return undefined;
        throw error;
      }
    },
    { ttlMs: options.accountTtlMs ?? 30_000, clock },
  );

  const credentialsOf: Provider['credentialsOf'] = ({ owner, providerSpec }) => {
    const { placement, credentialsSecret } = parseCredentialsSpec(providerSpec);
    const zone = placement?.availabilityZone;
    const ofZone = zone === undefined ? undefined : regionOfZone(zone);
    const region = placement?.region ?? ofZone ?? defaultRegion() ?? refuseRegion();
    const { namespace } = owner;
    return { namespace, ...given({ secretName: credentialsSecret?.name }), region };
  };

  const findMany: Provider['findByMachines'] = (credentials, searches, signal) =>
    findByMachines((attempted, filters) => describe(credentials, { attempted, filters }, signal), searches);

  return {
    name: NAME,
    providerSpecKinds: [PROVIDER_SPEC_KIND],
    providerSpecApiVersion: PROVIDER_SPEC_API_VERSION,
    describeBatchSize: DESCRIBE_BATCH_SIZE,
    idempotency: 'token',
    withDefaults: withAwsDefaults,
    isInstanceId,
    credentialsOf,

    async resolve(request) {
      const spec = parseProviderSpec(request.providerSpec);
      const credentials = credentialsOf(request);
      const resolved = await resolveSpec(lookups, credentials, spec);
      const { userDataSecret, instanceType } = spec;
      const loadBalancers = parseLoadBalancers(request.providerSpec);
      return {
        provider: NAME,
        credentials,
        zone: resolved.subnet.zone,
        instanceType,
        ...given({ userDataSecret: userDataSecret?.name }),
        ...(loadBalancers.length === 0 ? {} : { loadBalancers }),
        request: resolvedRequest(spec, resolved, request.owner),
      };
    },

    ...(limits === undefined
      ? {}
      : {
          launchTurns: {
            async lineUp(credentials, token) {
              const { caller } = await pool.clientsFor(credentials, regionOf(credentials));
              limits.lineUp(limitedLaunch(caller, token));
            },
            async take(credentials, token) {
              const { caller } = await pool.clientsFor(credentials, regionOf(credentials));
              await limits.turn(limitedLaunch(caller, token));
            },
          },
        }),

    async launch(request, signal) {
      const { owner, parameters, userData } = request;
      const attempted = `launch an instance for ${describeOwner(owner)} in ${parameters.zone}`;
      const input = runInstancesInput(request);
      const secrets = userData === undefined ? [] : [userData];
      const command = new RunInstancesCommand(input);
      command.middlewareStack.add(
        (next) => (args) => {
          requireStillDue(attempted, request);
          return next(args);
        },
        RIGHT_BEFORE_SENDING,
      );
      const { Instances = [], OwnerId } = await call(
        parameters.credentials,
        { attempted, purpose: 'launch', timeoutMs: launchTimeoutMs, signal },
        ({ ec2 }, abortSignal) => ec2.send(command, { abortSignal }),
        secrets,
      );
      return readInstance(attempted, regionOf(parameters.credentials), Instances[0], OwnerId);
    },

    async accountOf(credentials) {
      try {
        const { caller } = await pool.clientsFor(credentials, regionOf(credentials));
        const account = await readAccount({ credentials, keys: caller.credentials });
        // Before the first launch: until then two Secrets of one account have a limit each.
        if (account !== undefined) limits?.noteAccount(caller.credentials, account);
        return account;
      } catch (error) {
        if (error instanceof ProviderError) return undefined;
        throw error;
      }
    },

    async describe(credentials, ids, signal) {
      if (ids.length === 0) return [];
      const attempted = ids.length === 1 ? `describe instance ${ids[0]}` : `describe ${ids.length} instances`;
      if (ids.length > DESCRIBE_BATCH_SIZE) {
        throw new ProviderError('InvalidArgument', `${attempted}: at most ${DESCRIBE_BATCH_SIZE} go in one call`);
      }
      const wellFormed = ids.map(instanceIdOf).filter(isInstanceId);
      if (wellFormed.length === 0) return [];
      const filters = [filter('instance-id', ...wellFormed)];
      return describe(credentials, { attempted, filters }, signal);
    },

    async findByMachine(credentials, owner, token, signal) {
      const search = { owner, ...given({ token }) };
      const [found = []] = await findMany(credentials, [search], signal);
      return found;
    },

    findByMachines: findMany,

    async claim(credentials, id, owner, signal) {
      const attempted = `tag instance ${id} as that of ${describeOwner(owner)}`;
      const input = { Resources: [instanceIdOf(id)], Tags: [...claimTagsOf(owner)] };
      await call(
        credentials,
        { attempted, purpose: 'other', timeoutMs: terminateTimeoutMs, signal },
        ({ ec2 }, abortSignal) => ec2.send(new CreateTagsCommand(input), { abortSignal }),
      );
    },

    async terminate(credentials, id, signal) {
      const attempted = `terminate instance ${id}`;
      const InstanceIds = [instanceIdOf(id)];
      const { TerminatingInstances = [] } = await call(
        credentials,
        { attempted, purpose: 'other', timeoutMs: terminateTimeoutMs, signal },
        ({ ec2 }, abortSignal) => ec2.send(new TerminateInstancesCommand({ InstanceIds }), { abortSignal }),
      );
      return readState(attempted, TerminatingInstances[0]?.CurrentState?.Name);
    },

    async reboot(request, signal) {
      const { credentials, id } = request;
      const attempted = `reboot instance ${id}`;
      const command = new RebootInstancesCommand({ InstanceIds: [instanceIdOf(id)] });
      command.middlewareStack.add(
        (next) => (args) => {
          requireStillDue(attempted, request);
          return next(args);
        },
        RIGHT_BEFORE_SENDING,
      );
      await call(
        credentials,
        { attempted, purpose: 'other', timeoutMs: rebootTimeoutMs, signal },
        ({ ec2 }, abortSignal) => ec2.send(command, { abortSignal }),
      );
    },

    list(credentials, clusterName, signal) {
      const attempted = `list the instances of cluster ${clusterName}`;
      const filters = [filter('tag-key', clusterTag(clusterName))];
      const timeoutMs = listTimeoutMs;
      return describe(credentials, { attempted, filters, timeoutMs, pageSize: LIST_PAGE_SIZE }, signal);
    },

    loadBalancing: createLoadBalancing((credentials, attempted, signal, send) =>
      call(credentials, { attempted, purpose: 'other', timeoutMs: loadBalancerTimeoutMs, signal }, send),
    ),

    close: () => pool.close(),
  };
}

/** The last step before the request handler: keys were found, the turn has come, and the request is signed. */
const RIGHT_BEFORE_SENDING = { step: 'deserialize', priority: 'low', name: 'requireStillDue' } as const;

function filter(Name: string, ...Values: string[]): Filter {
  return { Name, Values };
}

function refuseRegion(): never {
  const field = 'providerSpec.value.placement.region';
  throw invalidField(field, `${field}: is required, as this worker has no region of its own (AWS_REGION)`);
}
