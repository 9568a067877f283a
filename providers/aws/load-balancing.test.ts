import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../clock.ts';
import type { LoadBalancer } from '../provider.ts';
import { createAwsProvider } from './aws-provider.ts';
import type { AwsProvider } from './aws-provider.ts';
import { elbError, startEc2TestServer } from './ec2-server-for-tests.ts';
import type { Ec2TestServer } from './ec2-server-for-tests.ts';

const credentials = { namespace: 'machines', region: 'eu-west-1' };
const network: LoadBalancer = { name: 'c1-int', type: 'network' };
const classic: LoadBalancer = { name: 'c1-old', type: 'classic' };
const instance = {
  id: 'i-1',
  addresses: [
    { type: 'InternalIP' as const, address: '2001:db8::1' },
    { type: 'InternalIP' as const, address: '10.0.0.1' },
  ],
};

let server: Ec2TestServer;
let provider: AwsProvider;

beforeEach(async () => {
  server = await startEc2TestServer();
  provider = createAwsProvider({
    clock: systemClock,
    endpoints: { elasticLoadBalancing: server.url, elasticLoadBalancingV2: server.url },
    defaultKeys: async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }),
  });
  const member = (fields: Readonly<Record<string, string>>) =>
    `<member>${Object.entries(fields)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join('')}</member>`;
  const groups = [
    member({ TargetGroupArn: 'tg-instance', TargetType: 'instance' }),
    member({ TargetGroupArn: 'tg-ip', TargetType: 'ip' }),
    member({ TargetGroupArn: 'tg-ip6', TargetType: 'ip', IpAddressType: 'ipv6' }),
    member({ TargetGroupArn: 'tg-alb', TargetType: 'alb' }),
  ];
  server.on('DescribeLoadBalancers', ({ form }) => {
    const name = form['Names.member.1'] ?? '';
    return {
      body: `<R><DescribeLoadBalancersResult><LoadBalancers>${member({ LoadBalancerName: name, LoadBalancerArn: 'arn' })}</LoadBalancers></DescribeLoadBalancersResult></R>`,
    };
  });
  server.on('DescribeTargetGroups', ({ form }) => {
    const [page, next] =
      form['Marker'] === 'two' ? [groups.slice(2), ''] : [groups.slice(0, 2), '<NextMarker>two</NextMarker>'];
    return {
      body: `<R><DescribeTargetGroupsResult><TargetGroups>${page.join('')}</TargetGroups>${next}</DescribeTargetGroupsResult></R>`,
    };
  });
  for (const action of [
    'RegisterTargets',
    'DeregisterTargets',
    'RegisterInstancesWithLoadBalancer',
    'DeregisterInstancesFromLoadBalancer',
  ]) {
    server.on(action, () => ({ body: `<R><${action}Result/></R>` }));
  }
});
afterEach(async () => {
  provider.close();
  await server.close();
});

const register = (all: readonly LoadBalancer[], of = instance) =>
  provider.loadBalancing?.register(credentials, all, of);
const deregister = (all: readonly LoadBalancer[], of = instance) =>
  provider.loadBalancing?.deregister(credentials, all, of);
const changes = () =>
  server.calls
    .filter(({ action }) => !action.startsWith('Describe'))
    .map(({ action, form }) => [
      action,
      form['TargetGroupArn'] ?? form['LoadBalancerName'],
      form['Targets.member.1.Id'] ?? form['Instances.member.1.InstanceId'],
    ])
    .toSorted((a, b) => String(a).localeCompare(String(b)));

describe('load balancers', () => {
  it('take an instance by its id or by the address that each target group is for', async () => {
    await register([network, classic]);
    expect(changes()).toEqual([
      ['RegisterInstancesWithLoadBalancer', 'c1-old', 'i-1'],
      ['RegisterTargets', 'tg-instance', 'i-1'],
      ['RegisterTargets', 'tg-ip', '10.0.0.1'],
      ['RegisterTargets', 'tg-ip6', '2001:db8::1'],
    ]);
  });

  it('let it go in the same way', async () => {
    await deregister([network, classic]);
    expect(changes()).toEqual([
      ['DeregisterInstancesFromLoadBalancer', 'c1-old', 'i-1'],
      ['DeregisterTargets', 'tg-instance', 'i-1'],
      ['DeregisterTargets', 'tg-ip', '10.0.0.1'],
      ['DeregisterTargets', 'tg-ip6', '2001:db8::1'],
    ]);
  });

  it.each([
    [network, 'DescribeLoadBalancers'],
    [classic, 'RegisterInstancesWithLoadBalancer'],
  ])('that do not exist are named when an instance is put behind them: %j', async (one, action) => {
    server.on(action, () => elbError('LoadBalancerNotFound'));
    await expect(register([one])).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining(`the ${one.type} load balancer ${one.name}`),
    });
  });

  it.each([
    ['LoadBalancerNotFound', 'DescribeLoadBalancers'],
    ['TargetGroupNotFound', 'DeregisterTargets'],
    ['InvalidTarget', 'DeregisterTargets'],
    ['LoadBalancerNotFound', 'DeregisterInstancesFromLoadBalancer'],
    ['InvalidInstance', 'DeregisterInstancesFromLoadBalancer'],
  ])('have nothing behind them where they answer %s to %s', async (code, action) => {
    server.on(action, () => elbError(code));
    await deregister([network, classic]);
  });

  it('that fail are told, and keep no other from being asked', async () => {
    server.on('DescribeLoadBalancers', () => elbError('AccessDenied', 'no', 403));
    await expect(deregister([network, classic])).rejects.toMatchObject({ code: 'PermissionDenied' });
    expect(changes()).toEqual([['DeregisterInstancesFromLoadBalancer', 'c1-old', 'i-1']]);
  });

  it.each([
    [network, 'RegisterTargets', 'InvalidTarget'],
    [classic, 'RegisterInstancesWithLoadBalancer', 'InvalidInstance'],
  ])('that take only what runs are asked again soon: %j', async (one, action, code) => {
    server.on(action, () => elbError(code));
    await expect(register([one])).rejects.toMatchObject({ code: 'FailedPrecondition', retryClass: 'soon' });
  });

  it('by address wait for an instance to have one, and let it go without', async () => {
    const bare = { id: 'i-1', addresses: [] };
    await expect(register([network], bare)).rejects.toMatchObject({ retryClass: 'soon' });
    await deregister([network], bare);
    expect(changes().filter(([action]) => action === 'DeregisterTargets')).toEqual([
      ['DeregisterTargets', 'tg-instance', 'i-1'],
    ]);
  });
});
