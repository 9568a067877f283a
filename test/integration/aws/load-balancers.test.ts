import { DescribeInstanceHealthCommand, ElasticLoadBalancingClient } from '@aws-sdk/client-elastic-load-balancing';
import { DescribeTargetHealthCommand, ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { expect, test } from '@jest/globals';
import { conditionOf, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { clientOptionsOf, createLoadBalancers, LOAD_BALANCERS } from './load-balancers.ts';
import type { OwnEc2 } from './own-ec2.ts';
import { useEc2Namespace } from './use-ec2-namespace.ts';

const NAMESPACE = 'aws-balanced';
let ec2: OwnEc2;
let own: OwnNamespace;
useEc2Namespace(NAMESPACE, (opened) => ({ ec2, own } = opened));

test('an instance is put behind its load balancers when its machine runs, and taken from there before it ends', async () => {
  const classic = new ElasticLoadBalancingClient(clientOptionsOf(ec2.endpoint));
  const network = new ElasticLoadBalancingV2Client(clientOptionsOf(ec2.endpoint));
  const targetGroup = await createLoadBalancers(ec2.endpoint);
  await own.createMachine('balanced', {
    providerSpec: {
      ...ec2.providerSpec,
      loadBalancers: LOAD_BALANCERS,
    },
  });
  const up = await own.untilMachine(
    'balanced',
    (m) => conditionOf(m, 'LoadBalancersAttached')?.status === 'True',
    'is behind its load balancers',
    { timeoutMs: 60_000 },
  );
  expect(up.status?.phase).toBe('Running');
  const id = up.status?.providerStatus?.instanceId ?? '';

  const behindOld = async () =>
    (await classic.send(new DescribeInstanceHealthCommand({ LoadBalancerName: 'old' }))).InstanceStates?.map(
      ({ InstanceId }) => InstanceId,
    );
  const behindNew = async () =>
    (
      await network.send(new DescribeTargetHealthCommand({ TargetGroupArn: targetGroup }))
    ).TargetHealthDescriptions?.map(({ Target }) => Target?.Id);
  expect(await behindOld()).toEqual([id]);
  expect(await behindNew()).toEqual([id]);

  await own.removeMachine('balanced', { timeoutMs: 60_000 });
  expect(await behindOld()).toEqual([]);
  const { calls } = await ec2.ledger();
  const steps = calls.map(({ action }) => action).filter((action) => ['deregister', 'terminate'].includes(action));
  expect(steps).toEqual(['deregister', 'deregister', 'terminate']);
  classic.destroy();
  network.destroy();
}, 180_000);

test('a load balancer that does not exist is a condition of a machine that runs all the same', async () => {
  await own.createMachine('unbalanced', {
    providerSpec: { ...ec2.providerSpec, loadBalancers: [{ name: 'nowhere', type: 'network' }] },
  });
  const told = await own.untilMachine(
    'unbalanced',
    (m) => conditionOf(m, 'LoadBalancersAttached')?.status === 'False',
    'is told',
    { timeoutMs: 60_000 },
  );
  expect(told.status?.phase).toBe('Running');
  expect(conditionOf(told, 'LoadBalancersAttached')?.message).toContain('nowhere');
  await own.removeMachine('unbalanced', { timeoutMs: 60_000 });
}, 150_000);
