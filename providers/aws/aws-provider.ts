/** The provider for Amazon EC2. */

import {
  CreateTagsCommand,
  RebootInstancesCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Filter, Instance as AwsInstance } from '@aws-sdk/client-ec2';
import { describeOwner } from '../describe-owner.ts';
import { ProviderError, requireStillDue } from '../provider-error.ts';
import type { Credentials, Instance, LaunchRequest, Provider } from '../provider.ts';
import { createAccountOf } from './account.ts';
import { createAwsCalls, type AwsCallsOptions } from './aws-calls.ts';
import { describeInstances } from './describe-instances.ts';
import type { DescribeRequest } from './describe-instances.ts';
import { createEc2Lookups } from './ec2-lookups.ts';
import { readInstance, readState } from './instance-answer.ts';
import { askedAgain } from '../asked-again.ts';
import { findByMachines } from './find-by-machines.ts';
import { resolvedRequest, runInstancesInput } from './launch-request.ts';
import { createLaunchTurns } from './limit-calls.ts';
import { createLoadBalancing } from './load-balancing.ts';
import { claimTagsOf, clusterTag } from './owner-tags.ts';
import { instanceIdOf, isInstanceId, regionOfZone } from './provider-id.ts';
import { parseCredentialsSpec, parseLoadBalancers, parseProviderSpec } from './provider-spec.ts';
import { PROVIDER_SPEC_API_VERSION, PROVIDER_SPEC_KIND } from './provider-spec-schema.ts';
import { nodeShapeOf } from './node-shape.ts';
import { resolveSpec, zoneOf } from './resolve-spec.ts';
import { withAwsDefaults } from './with-defaults.ts';
import { given, unlessEmpty } from '../given.ts';

export interface AwsProviderOptions extends AwsCallsOptions {
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
}

export interface AwsProvider extends Provider {
  /** Ends the connections; calls that are under way fail. */
  close(): void;
}

const NAME = 'aws';
/** How EC2 answers a dry run that would have worked. */
const WOULD_WORK = 'DryRunOperation';
/** EC2 takes 200 values in one filter. */
const DESCRIBE_BATCH_SIZE = 200;
const LIST_PAGE_SIZE = 1_000;

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
  const { clock, limits } = options;
  const calls = createAwsCalls(options);
  const { call, regionOf } = calls;

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

  const credentialsOf: Provider['credentialsOf'] = ({ owner, providerSpec }) => {
    const { placement, credentialsSecret } = parseCredentialsSpec(providerSpec);
    const zone = placement?.availabilityZone;
    const ofZone = zone === undefined ? undefined : regionOfZone(zone);
    const region = regionOf(given({ region: placement?.region ?? ofZone }));
    const { namespace } = owner;
    return { namespace, ...given({ secretName: credentialsSecret?.name }), region };
  };

  const findMany: Provider['findByMachines'] = (credentials, searches, signal) =>
    findByMachines(
      (attempted, filters) => askedAgain(clock, () => describe(credentials, { attempted, filters }, signal), signal),
      searches,
    );

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
        ...given({ userDataSecret: userDataSecret?.name, loadBalancers: unlessEmpty(loadBalancers) }),
        request: resolvedRequest(spec, resolved, request.owner),
      };
    },

    async nodeShapeOf(request) {
      const spec = parseProviderSpec(request.providerSpec);
      const credentials = credentialsOf(request);
      const field = 'providerSpec.value.instanceType';
      const [type, zone] = await Promise.all([
        lookups.instanceType({ credentials, field, id: spec.instanceType }),
        zoneOf(lookups, credentials, spec),
      ]);
      return nodeShapeOf(type, spec, given({ region: credentials.region, zone }));
    },

    ...given({ launchTurns: limits && createLaunchTurns(limits, calls.callerOf) }),

    async launch(request, signal) {
      const { owner, parameters, userData } = request;
      const attempted = `launch an instance for ${describeOwner(owner)} in ${parameters.zone}`;
      const input = runInstancesInput(request);
      const secrets = userData === undefined ? [] : [userData];
      const command = new RunInstancesCommand(input);
      command.middlewareStack.add(onlyIfStillDue(attempted, request), RIGHT_BEFORE_SENDING);
      const { Instances = [], OwnerId } = await call(
        parameters.credentials,
        { attempted, purpose: 'launch', timeoutMs: launchTimeoutMs, signal },
        ({ ec2 }, abortSignal) => ec2.send(command, { abortSignal }),
        secrets,
      );
      return readInstance(attempted, regionOf(parameters.credentials), Instances[0], OwnerId);
    },

    async dryRun(request, signal) {
      const { parameters, userData } = request;
      const attempted = `try whether an instance can be launched in ${parameters.zone}`;
      const input = { ...runInstancesInput(request), DryRun: true };
      let made: readonly AwsInstance[];
      try {
        const { Instances = [] } = await call(
          parameters.credentials,
          { attempted, purpose: 'launch', timeoutMs: describeTimeoutMs, signal },
          ({ ec2 }, abortSignal) => ec2.send(new RunInstancesCommand(input), { abortSignal }),
          userData === undefined ? [] : [userData],
        );
        made = Instances;
      } catch (error) {
        if (error instanceof ProviderError && error.details.cloudCode === WOULD_WORK) return;
        throw error;
      }
      // A cloud that speaks EC2's words and does not know this one. By its token a repeat makes no second one.
      const ids = made.map(({ InstanceId }) => InstanceId).join(', ');
      throw new ProviderError(
        'Internal',
        `${attempted}: it was no try to this cloud, which made ${ids}: end it by hand`,
      );
    },

    accountOf: createAccountOf(calls, {
      clock,
      limits,
      timeoutMs: options.accountTimeoutMs ?? 3_000,
      ttlMs: options.accountTtlMs ?? 30_000,
    }),

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
      command.middlewareStack.add(onlyIfStillDue(attempted, request), RIGHT_BEFORE_SENDING);
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

    close: () => calls.close(),
  };
}

/** The last step before the request handler: keys were found, the turn has come, and the request is signed. */
const RIGHT_BEFORE_SENDING = { step: 'deserialize', priority: 'low', name: 'requireStillDue' } as const;

/** @throws ProviderError in place of sending what is not due any more */
function onlyIfStillDue(attempted: string, request: Pick<LaunchRequest, 'isStillDue'>) {
  return <Args, Result>(next: (args: Args) => Promise<Result>) =>
    (args: Args): Promise<Result> => {
      requireStillDue(attempted, request);
      return next(args);
    };
}

function filter(Name: string, ...Values: string[]): Filter {
  return { Name, Values };
}
