/** Instances behind classic and network load balancers. */

import {
  DeregisterInstancesFromLoadBalancerCommand,
  RegisterInstancesWithLoadBalancerCommand,
} from '@aws-sdk/client-elastic-load-balancing';
import {
  DeregisterTargetsCommand,
  DescribeLoadBalancersCommand,
  DescribeTargetGroupsCommand,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ElasticLoadBalancingV2Client, TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import { ProviderError } from '../provider-error.ts';
import type { Credentials, LoadBalancer, LoadBalancing } from '../provider.ts';
import type { AwsClients } from './aws-clients.ts';
import { instanceIdOf } from './provider-id.ts';
import { parseLoadBalancers } from './provider-spec.ts';
import { given } from '../given.ts';

type BalancedInstance = Parameters<LoadBalancing['register']>[2];

/** Runs calls with the clients of these credentials under one deadline; makes the error where one fails. */
export type WithClients = <T>(
  credentials: Credentials,
  attempted: string,
  signal: AbortSignal | undefined,
  send: (clients: AwsClients, abortSignal: AbortSignal) => Promise<T>,
) => Promise<T>;

/** Codes that say that there is nothing to take an instance out of. */
const NOTHING_BEHIND: ReadonlySet<string | undefined> = new Set([
  'LoadBalancerNotFound',
  'AccessPointNotFound',
  'TargetGroupNotFound',
  'InvalidInstance',
  'InvalidTarget',
]);

export function createLoadBalancing(withClients: WithClients): LoadBalancing {
  const registerOne = async (
    credentials: Credentials,
    one: LoadBalancer,
    of: BalancedInstance,
    signal?: AbortSignal,
  ) => {
    const attempted = `put instance ${of.id} behind ${describe(one)}`;
    if (one.type === 'classic') {
      const input = { LoadBalancerName: one.name, Instances: [{ InstanceId: instanceIdOf(of.id) }] };
      await withClients(credentials, attempted, signal, ({ elasticLoadBalancing: elb }, abortSignal) =>
        elb.send(new RegisterInstancesWithLoadBalancerCommand(input), { abortSignal }),
      );
      return;
    }
    await withClients(credentials, attempted, signal, async ({ elasticLoadBalancingV2: elb }, abortSignal) => {
      for (const group of await targetGroupsOf(elb, one, attempted, abortSignal)) {
        const target = targetOf(group, of);
        if (target === null) continue;
        if (target === undefined) {
          throw new ProviderError('FailedPrecondition', `${attempted}: the instance has no address yet`);
        }
        const input = { TargetGroupArn: group.TargetGroupArn, Targets: [{ Id: target }] };
        await elb.send(new RegisterTargetsCommand(input), { abortSignal });
      }
    });
  };

  const deregisterOne = async (
    credentials: Credentials,
    one: LoadBalancer,
    of: BalancedInstance,
    signal?: AbortSignal,
  ) => {
    const attempted = `take instance ${of.id} from behind ${describe(one)}`;
    if (one.type === 'classic') {
      const input = { LoadBalancerName: one.name, Instances: [{ InstanceId: instanceIdOf(of.id) }] };
      await unlessNothingBehind(
        withClients(credentials, attempted, signal, ({ elasticLoadBalancing: elb }, abortSignal) =>
          elb.send(new DeregisterInstancesFromLoadBalancerCommand(input), { abortSignal }),
        ),
      );
      return;
    }
    const groups = await unlessNothingBehind(
      withClients(credentials, attempted, signal, ({ elasticLoadBalancingV2: elb }, abortSignal) =>
        targetGroupsOf(elb, one, attempted, abortSignal),
      ),
    );
    for (const group of groups ?? []) {
      const target = targetOf(group, of);
      // Without an address there is no telling which target it was; EC2 has given the address back by then.
      if (target === undefined || target === null) continue;
      const input = { TargetGroupArn: group.TargetGroupArn, Targets: [{ Id: target }] };
      await unlessNothingBehind(
        withClients(credentials, attempted, signal, ({ elasticLoadBalancingV2: elb }, abortSignal) =>
          elb.send(new DeregisterTargetsCommand(input), { abortSignal }),
        ),
      );
    }
  };

  return {
    loadBalancersOf: ({ providerSpec }) => parseLoadBalancers(providerSpec),
    register: (credentials, all, instance, signal) =>
      forAll(all, (one) => registerOne(credentials, one, instance, signal)),
    deregister: (credentials, all, instance, signal) =>
      forAll(all, (one) => deregisterOne(credentials, one, instance, signal)),
  };
}

/** One that fails keeps none of the others from being done. Of the failures one without an answer is told first: it may take effect yet. */
async function forAll(all: readonly LoadBalancer[], act: (one: LoadBalancer) => Promise<void>): Promise<void> {
  const done = await Promise.allSettled(all.map(act));
  const failures = done.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0) throw failures.find(isUnanswered) ?? failures[0];
}

function isUnanswered(error: unknown): boolean {
  return error instanceof ProviderError && error.retryClass === 'soon' && error.details.cloudCode === undefined;
}

async function unlessNothingBehind<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof ProviderError && NOTHING_BEHIND.has(error.details.cloudCode)) return undefined;
    throw error;
  }
}

async function targetGroupsOf(
  elb: ElasticLoadBalancingV2Client,
  { name }: LoadBalancer,
  attempted: string,
  abortSignal: AbortSignal,
): Promise<readonly TargetGroup[]> {
  const { LoadBalancers = [] } = await elb.send(new DescribeLoadBalancersCommand({ Names: [name] }), { abortSignal });
  const arn = LoadBalancers.find(({ LoadBalancerName }) => LoadBalancerName === name)?.LoadBalancerArn;
  if (arn === undefined) throw new ProviderError('NotFound', `${attempted}: there is none of this name`);
  const groups: TargetGroup[] = [];
  let Marker: string | undefined;
  do {
    const input = { LoadBalancerArn: arn, ...given({ Marker }) };
    const page = await elb.send(new DescribeTargetGroupsCommand(input), { abortSignal });
    groups.push(...(page.TargetGroups ?? []));
    Marker = page.NextMarker;
  } while (Marker !== undefined && Marker !== '');
  return groups;
}

/** Id of the target; null: the group takes no instances; undefined: it takes an address, and there is none. */
function targetOf(group: TargetGroup, { id, addresses }: BalancedInstance): string | null | undefined {
  if (group.TargetType === 'instance') return instanceIdOf(id);
  if (group.TargetType !== 'ip') return null;
  const isVersion6 = group.IpAddressType === 'ipv6';
  return addresses.find(({ type, address }) => type === 'InternalIP' && address.includes(':') === isVersion6)?.address;
}

function describe({ name, type }: LoadBalancer): string {
  return `the ${type} load balancer ${name}`;
}
