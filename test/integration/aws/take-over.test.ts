import { DescribeSubnetsCommand, EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION, PAUSED_BY_TAKE_OVER } from '../../../k8s/model/paused-annotation.ts';
import { CLUSTERS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { machineManifest } from '../lifecycle/manifests.ts';
import { unpause, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import type { OwnEc2 } from './own-ec2.ts';
import { useEc2Namespace } from './use-ec2-namespace.ts';

const NAMESPACE = 'aws-taken-over';
/** As `install --take-over` leaves every object. */
const PAUSED = { [PAUSED_ANNOTATION]: PAUSED_BY_TAKE_OVER };
const { kube } = getStack();
let ec2: OwnEc2;
let own: OwnNamespace;
useEc2Namespace(NAMESPACE, (opened) => ({ ec2, own } = opened));

/** As the Machine API's AWS actuator launches: no client token of its own, these tags and no uid. */
async function launchAsMachineApi(name: string): Promise<{ readonly id: string; readonly providerID: string }> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new EC2Client({ endpoint: ec2.endpoint, region: 'us-east-1', credentials });
  const Filters = [{ Name: 'availability-zone', Values: ['us-east-1a'] }];
  const { Subnets } = await client.send(new DescribeSubnetsCommand({ Filters }));
  const Tags = [
    { Key: 'Name', Value: name },
    { Key: `kubernetes.io/cluster/${NAMESPACE}`, Value: 'owned' },
  ];
  const { Instances } = await client.send(
    new RunInstancesCommand({
      ImageId: 'ami-785db401',
      InstanceType: 'm5.large',
      MinCount: 1,
      MaxCount: 1,
      SubnetId: Subnets?.[0]?.SubnetId ?? '',
      TagSpecifications: [{ ResourceType: 'instance', Tags }],
    }),
  );
  client.destroy();
  const id = Instances?.[0]?.InstanceId ?? '';
  return { id, providerID: `aws:///us-east-1a/${id}` };
}

/** A paused Machine with the spec and the status that the Machine API's controller left. */
async function leave(name: string, spec: object, status: object): Promise<MachineObject> {
  const manifest = machineManifest(NAMESPACE, name, {
    annotations: { ...PAUSED, 'machine.openshift.io/instance-state': 'running' },
    providerSpec: ec2.providerSpec,
    spec: { lifecycleHooks: {}, ...spec },
  }) as { metadata: object };
  const made = await kube.create<MachineObject>(MACHINES, NAMESPACE, {
    ...manifest,
    metadata: { ...manifest.metadata, finalizers: [FINALIZER] },
  });
  await kube.mergePatch(MACHINES, NAMESPACE, name, { status }, { subresource: 'status' });
  return made;
}

/** As `install --take-over` makes one for each cluster of the Machines there are. */
async function allowCluster(): Promise<void> {
  await kube.apply(
    CLUSTERS,
    NAMESPACE,
    NAMESPACE,
    { metadata: { name: NAMESPACE }, spec: {} },
    { fieldManager: 'test' },
  );
}

async function stateOf(id: string): Promise<string | undefined> {
  return (await ec2.ledger()).instances.find((instance) => instance.id === id)?.state;
}

async function launchesSince(count: number): Promise<number> {
  return ((await ec2.ledger()).counts['RunInstances'] ?? 0) - count;
}

test('an instance that is only named is neither adopted nor ended, until the operator allows its cluster', async () => {
  const { id, providerID } = await launchAsMachineApi('named');
  await kube.create(
    MACHINES,
    NAMESPACE,
    machineManifest(NAMESPACE, 'named', { providerSpec: ec2.providerSpec, spec: { providerID } }),
  );
  const held = await own.untilMachine('named', (m) => m.status?.waiting?.reason === 'InstanceOfAnother', 'is held');
  expect(held.status?.waiting?.message).toContain('may adopt from: none');
  expect(held.status?.providerStatus?.instanceId).toBeUndefined();
  await own.removeMachine('named', { timeoutMs: 60_000 });
  expect(['pending', 'running']).toContain(await stateOf(id));
  await allowCluster();
  await kube.create(
    MACHINES,
    NAMESPACE,
    machineManifest(NAMESPACE, 'named', { providerSpec: ec2.providerSpec, spec: { providerID } }),
  );
  await own.untilPhase('named', 'Running', { timeoutMs: 60_000 });
  await own.removeMachine('named', { timeoutMs: 60_000 });
  expect(await stateOf(id)).toMatch(/shutting-down|terminated/);
}, 180_000);

test('a running machine of the Machine API is adopted by its providerID, and goes with its instance', async () => {
  const { id, providerID } = await launchAsMachineApi('by-provider-id');
  await leave(
    'by-provider-id',
    { providerID },
    {
      phase: 'Running',
      lastUpdated: '2026-01-01T00:00:00Z',
      providerStatus: {
        apiVersion: 'machine.openshift.io/v1beta1',
        kind: 'AWSMachineProviderStatus',
        instanceId: id,
        instanceState: 'running',
        conditions: [
          {
            type: 'MachineCreation',
            status: 'True',
            reason: 'MachineCreationSucceeded',
            message: 'Machine successfully created',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    },
  );
  await allowCluster();
  const before = (await ec2.ledger()).counts['RunInstances'] ?? 0;
  await unpause(own, 'by-provider-id');
  const up = await own.untilMachine('by-provider-id', (m) => m.status?.nodeRef !== undefined, 'is linked', {
    timeoutMs: 60_000,
  });
  expect(up.status).toMatchObject({ phase: 'Running', providerStatus: { instanceId: id } });
  expect(await launchesSince(before)).toBe(0);
  await own.removeMachine('by-provider-id', { timeoutMs: 60_000 });
  expect(await stateOf(id)).toMatch(/shutting-down|terminated/);
}, 180_000);

test('an instance that the Machine API launched and never recorded is found by its tags, and no second one launched', async () => {
  const { id } = await launchAsMachineApi('by-tags');
  await leave('by-tags', {}, { phase: 'Provisioning' });
  await allowCluster();
  const before = (await ec2.ledger()).counts['RunInstances'] ?? 0;
  await unpause(own, 'by-tags');
  const up = await own.untilPhase('by-tags', 'Running', { timeoutMs: 60_000 });
  expect(up.status?.providerStatus?.instanceId).toBe(id);
  expect(await launchesSince(before)).toBe(0);
  await own.removeMachine('by-tags', { timeoutMs: 60_000 });
}, 180_000);

test('a Machine that the Machine API had not launched yet gets one instance', async () => {
  await leave('unlaunched', {}, { phase: 'Provisioning' });
  const before = (await ec2.ledger()).counts['RunInstances'] ?? 0;
  await unpause(own, 'unlaunched');
  await own.untilPhase('unlaunched', 'Running', { timeoutMs: 60_000 });
  expect(await launchesSince(before)).toBe(1);
  await own.removeMachine('unlaunched', { timeoutMs: 60_000 });
}, 180_000);
