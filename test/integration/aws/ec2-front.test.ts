import {
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import {
  CreateLoadBalancerCommand,
  DescribeInstanceHealthCommand,
  ElasticLoadBalancingClient,
  RegisterInstancesWithLoadBalancerCommand,
} from '@aws-sdk/client-elastic-load-balancing';
import {
  CreateTargetGroupCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Ec2Behaviour } from '../../../devstack/doubles/cloud/ec2-front/behaviour.ts';
import type { Ec2Ledger } from '../../../devstack/doubles/cloud/ec2-front/ledger.ts';
import { startEc2, type Ec2 } from '../../../devstack/stack/start-ec2.ts';
import { terminalProgress } from '../../../devstack/start/terminal-progress.ts';
import { until } from '../until.ts';

let ec2: Ec2;
let client: EC2Client;
let subnet: string;
let counter = 0;

beforeAll(async () => {
  ec2 = await startEc2({ progress: terminalProgress() });
  client = new EC2Client(clientOptions());
  const { Subnets } = await client.send(
    new DescribeSubnetsCommand({
      Filters: [
        { Name: 'availability-zone', Values: ['us-east-1a'] },
        { Name: 'default-for-az', Values: ['true'] },
      ],
    }),
  );
  subnet = Subnets?.[0]?.SubnetId ?? '';
}, 180_000);

afterAll(async () => {
  client?.destroy();
  await ec2?.stop();
});

beforeEach(async () => {
  await put('/behaviours/*', { pendingMs: 0, terminateMs: 0 } satisfies Ec2Behaviour);
  await put('/behaviours/t3.large', {});
  await put('/disturbances', { disturbances: [] });
});

function clientOptions() {
  return {
    endpoint: ec2.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  };
}

async function put(path: string, body: object): Promise<void> {
  const answer = await fetch(`${ec2.url}${path}`, { method: 'PUT', body: JSON.stringify(body) });
  expect([answer.status, answer.ok ? '' : await answer.text()]).toEqual([200, '']);
}

async function ledger(machine?: string): Promise<Ec2Ledger> {
  const answer = await fetch(`${ec2.url}/ledger${machine === undefined ? '' : `?machine=${machine}`}`);
  return (await answer.json()) as Ec2Ledger;
}

/** A launch of a Machine of its own; what is given replaces that of it. */
function aLaunch(changes: Partial<RunInstancesCommandInput> = {}): RunInstancesCommandInput {
  counter += 1;
  const name = `web-${counter}`;
  return {
    ClientToken: `token-${counter}`,
    ImageId: 'ami-785db401',
    InstanceType: 't3.large',
    MinCount: 1,
    MaxCount: 1,
    SubnetId: subnet,
    UserData: 'c2VjcmV0',
    TagSpecifications: [
      {
        ResourceType: 'instance',
        Tags: [
          { Key: 'Name', Value: name },
          { Key: 'millwright/machine', Value: `default/${name}` },
          { Key: 'millwright/machine-uid', Value: `uid-${counter}` },
        ],
      },
    ],
    ...changes,
  };
}

async function run(launch: RunInstancesCommandInput): Promise<string> {
  const { Instances } = await client.send(new RunInstancesCommand(launch));
  return Instances?.[0]?.InstanceId ?? '';
}

async function describeBy(name: string, value: string) {
  const answer = await client.send(new DescribeInstancesCommand({ Filters: [{ Name: name, Values: [value] }] }));
  return (answer.Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
}

const named = (name: string) => expect.objectContaining({ name });

describe('the embedded EC2', () => {
  it('gives the same instance to a launch that is repeated, also while the first is at work', async () => {
    const launch = aLaunch();
    const [first, second] = await Promise.all([run(launch), run(launch)]);
    expect(first).toMatch(/^i-[0-9a-f]{17}$/);
    expect([second, await run(launch)]).toEqual([first, first]);
    expect((await ledger(`uid-${counter}`)).instances).toHaveLength(1);
  });

  it('launches a second instance under a token in another zone', async () => {
    const launch = aLaunch();
    const { SubnetId: _subnet, ...elsewhere } = launch;
    const other = await run({ ...elsewhere, Placement: { AvailabilityZone: 'us-east-1b' } });
    expect(other).not.toBe(await run(launch));
  });

  it('launches through a network interface, in its subnet', async () => {
    const { SubnetId, ...launch } = aLaunch({
      BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 40, VolumeType: 'gp3' } }],
      MetadataOptions: { HttpTokens: 'required' },
      InstanceMarketOptions: { MarketType: 'spot', SpotOptions: { SpotInstanceType: 'one-time' } },
    });
    const NetworkInterfaces = [{ DeviceIndex: 0, SubnetId }];
    const id = await run({ ...launch, NetworkInterfaces, Placement: { AvailabilityZone: 'us-east-1a' } });
    expect(await describeBy('instance-lifecycle', 'spot')).toMatchObject([
      { InstanceId: id, SubnetId, InstanceLifecycle: 'spot', PrivateIpAddress: expect.stringMatching(/^172\.31\./) },
    ]);
  });

  it('refuses changed parameters under a token, also after a launch that failed', async () => {
    const launch = aLaunch();
    await run(launch);
    const mismatch = named('IdempotentParameterMismatch');
    await expect(run({ ...launch, UserData: 'b3RoZXI=' })).rejects.toEqual(mismatch);
    const failing = aLaunch({ ImageId: 'ami-nope' });
    await expect(run(failing)).rejects.toEqual(named('InvalidAMIID.NotFound'));
    await expect(run({ ...failing, ImageId: 'ami-785db401' })).rejects.toEqual(mismatch);
  });

  it('answers IdempotentInstanceTerminated under the token of a terminated instance', async () => {
    const launch = aLaunch();
    const id = await run(launch);
    const { TerminatingInstances } = await client.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(TerminatingInstances?.[0]).toMatchObject({ InstanceId: id, PreviousState: { Name: 'running' } });
    await expect(run(launch)).rejects.toEqual(named('IdempotentInstanceTerminated'));
    expect((await describeBy('instance-id', id))[0]?.State?.Name).toBe('terminated');
  });

  it('finds an instance by token, by tag and by state, and says so of a filter it does not have', async () => {
    await put('/behaviours/t3.large', { pendingMs: 600_000 });
    const launch = aLaunch();
    const id = await run(launch);
    for (const [filter, value] of [
      ['client-token', launch.ClientToken],
      ['tag:millwright/machine-uid', `uid-${counter}`],
      ['instance-state-name', 'pending'],
    ] as const) {
      expect((await describeBy(filter, value ?? '')).map(({ InstanceId }) => InstanceId)).toEqual([id]);
    }
    expect(await describeBy('client-token', 'nobody')).toEqual([]);
    await expect(describeBy('reservation-id', 'r-1')).rejects.toEqual(named('InvalidParameterValue'));
  });

  it('is pending for a while, and shuts down for a while', async () => {
    await put('/behaviours/t3.large', { pendingMs: 300, terminateMs: 300 });
    const id = await run(aLaunch());
    const state = async () => (await describeBy('instance-id', id))[0]?.State?.Name;
    expect(await state()).toBe('pending');
    await until('it runs', state, (found) => found === 'running', { timeoutMs: 5_000 });
    await client.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(await state()).toBe('shutting-down');
    await until('it is terminated', state, (found) => found === 'terminated', { timeoutMs: 5_000 });
  });

  it('shows an instance late where describes lag', async () => {
    await put('/behaviours/t3.large', { visibleAfterMs: 500 });
    const id = await run(aLaunch());
    expect(await describeBy('instance-id', id)).toEqual([]);
    const byId = new DescribeInstancesCommand({ InstanceIds: [id] });
    await expect(client.send(byId)).rejects.toEqual(named('InvalidInstanceID.NotFound'));
    await until(
      'it is seen',
      () => describeBy('instance-id', id),
      ({ length }) => length === 1,
      { timeoutMs: 5_000 },
    );
  });

  it('made one instance where an answer was lost and the launch is repeated', async () => {
    await put('/behaviours/t3.large', {
      failures: [{ action: 'RunInstances', when: 'after', answer: 'reset', times: 1 }],
    });
    const launch = aLaunch();
    await expect(run(launch)).rejects.toThrow();
    const id = await run(launch);
    const { instances, calls } = await ledger(`default/web-${counter}`);
    expect(instances).toMatchObject([{ id, machine: `default/web-${counter}`, machineUid: `uid-${counter}` }]);
    expect(calls).toMatchObject([
      { action: 'launch', instance: id, ok: false, code: 'ConnectionReset' },
      { action: 'launch', instance: id, ok: true, code: null },
    ]);
  });

  it('made one instance where a launch went out twice', async () => {
    await put('/disturbances', { disturbances: [{ action: 'launch', kind: 'repeat', times: 1 }] });
    await run(aLaunch());
    const { instances, calls } = await ledger(`uid-${counter}`);
    expect([instances.length, calls.length]).toEqual([1, 2]);
  });

  it('runs out of capacity, throttles and echoes parts of a request when told to', async () => {
    await put('/behaviours/t3.large', { capacity: 0 });
    const launch = aLaunch();
    await expect(run(launch)).rejects.toEqual(named('InsufficientInstanceCapacity'));
    await put('/behaviours/t3.large', { throttling: { next: 1 } });
    await expect(run(launch)).rejects.toEqual(named('RequestLimitExceeded'));
    const message = 'Invalid user data {UserData}';
    const code = 'InvalidParameterValue';
    await put('/behaviours/t3.large', { failures: [{ action: 'launch', code, message, times: 1 }] });
    await expect(run(launch)).rejects.toMatchObject({ name: code, message: 'Invalid user data c2VjcmV0' });
    expect(await run(launch)).toMatch(/^i-/);
  });

  it('counts every call by action', async () => {
    const before = (await ledger()).counts;
    await describeBy('client-token', 'nobody');
    const after = (await ledger()).counts;
    expect((after['DescribeInstances'] ?? 0) - (before['DescribeInstances'] ?? 0)).toBe(1);
  });

  it('loses an instance to somebody with a console', async () => {
    const id = await run(aLaunch());
    await fetch(`${ec2.url}/instances/${id}/stop`, { method: 'POST' });
    expect((await describeBy('instance-id', id))[0]?.State?.Name).toBe('stopped');
    await fetch(`${ec2.url}/instances/${id}/terminate`, { method: 'POST' });
    expect((await describeBy('instance-id', id))[0]?.State?.Name).toBe('terminated');
  });

  it('has load balancers of both kinds, which refuse what they refuse in earnest', async () => {
    const id = await run(aLaunch());
    const classic = new ElasticLoadBalancingClient(clientOptions());
    const Listeners = [{ Protocol: 'TCP', LoadBalancerPort: 6443, InstancePort: 6443 }];
    await classic.send(
      new CreateLoadBalancerCommand({ LoadBalancerName: 'api', Listeners, AvailabilityZones: ['us-east-1a'] }),
    );
    const register = (LoadBalancerName: string, InstanceId: string) =>
      classic.send(new RegisterInstancesWithLoadBalancerCommand({ LoadBalancerName, Instances: [{ InstanceId }] }));
    await register('api', id);
    const health = await classic.send(new DescribeInstanceHealthCommand({ LoadBalancerName: 'api' }));
    expect(health.InstanceStates).toMatchObject([{ InstanceId: id }]);
    await expect(register('nope', id)).rejects.toMatchObject({
      name: expect.stringMatching(/LoadBalancerNotFound|AccessPointNotFound/),
    });
    await expect(register('api', 'i-0')).rejects.toMatchObject({
      name: expect.stringMatching(/InvalidInstance|InvalidEndPoint/),
    });
    classic.destroy();

    const network = new ElasticLoadBalancingV2Client(clientOptions());
    const { TargetGroups } = await network.send(
      new CreateTargetGroupCommand({
        Name: 'api',
        Protocol: 'TCP',
        Port: 6443,
        VpcId: await vpcOf(id),
        TargetType: 'instance',
      }),
    );
    const TargetGroupArn = TargetGroups?.[0]?.TargetGroupArn ?? '';
    await network.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: [{ Id: id }] }));
    const targets = await network.send(new DescribeTargetHealthCommand({ TargetGroupArn }));
    expect(targets.TargetHealthDescriptions).toMatchObject([{ Target: { Id: id } }]);
    await put('/behaviours/t3.large', { pendingMs: 600_000 });
    const pending = await run(aLaunch());
    await expect(
      network.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: [{ Id: pending }] })),
    ).rejects.toMatchObject({ name: expect.stringMatching(/InvalidTarget/) });
    network.destroy();
  });

  it('shows hollow nodes what runs', async () => {
    const id = await run(aLaunch());
    const { instances } = (await (await fetch(`${ec2.url}/instances`)).json()) as {
      instances: readonly { readonly id: string; readonly providerID: string; readonly addresses: readonly object[] }[];
    };
    const instance = instances.find((each) => each.id === id);
    expect(instance).toMatchObject({ providerID: `aws:///us-east-1a/${id}`, state: 'running', region: 'us-east-1' });
    expect(instance?.addresses).toContainEqual({ type: 'InternalIP', address: expect.stringMatching(/^172\.31\./) });
  });
});

async function vpcOf(id: string): Promise<string> {
  return (await describeBy('instance-id', id))[0]?.VpcId ?? '';
}
