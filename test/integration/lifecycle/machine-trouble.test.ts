import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CLUSTERS } from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS, SECRETS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { behave, instanceState, launchByHand, readLedger } from './cloud.ts';
import { conditionOf, openNamespace, pause, readNode, unpause, type OwnNamespace } from './own-namespace.ts';

const { kube } = getStack();
let own: OwnNamespace;

beforeAll(async () => {
  await behave('sim.loner', { joins: false });
  own = await openNamespace('lifecycle-trouble');
}, 120_000);

afterAll(async () => {
  await own.end();
  await behave('sim.loner', {});
}, 120_000);

/** Long enough for a pass that should not come, in milliseconds. */
const QUIET_MS = 4_000;
const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

test('a Node that does not join in time makes the machine Failed, the instance is kept, and its set does not replace it', async () => {
  await own.createMachineSet('loners', {
    replicas: 1,
    providerSpec: { instanceType: 'sim.loner' },
    spec: { creationTimeoutSeconds: 3 },
  });
  const [seen] = await own.untilMachines('Failed', ([m]) => m?.status?.phase === 'Failed', { timeoutMs: 40_000 });
  const id = seen?.status?.providerStatus?.instanceId ?? '';
  expect(seen?.status).toMatchObject({
    errorReason: 'JoinClusterTimeoutError',
    failureReason: 'JoinClusterTimeoutError',
    failureMessage: expect.stringMatching(/no Node joined within 3 s .*The instance is kept/),
  });
  await quiet();
  const after = await own.machines();
  expect(after.map(({ metadata }) => metadata.uid)).toEqual([seen?.metadata.uid]);
  expect(await instanceState(id)).toBe('running');
  const set = await own.machineSet('loners');
  expect(set.status).toMatchObject({ replicas: 1, readyReplicas: 0 });
  // An operator who deletes it gets the instance terminated and a new machine.
  await own.deleteMachine(seen?.metadata.name ?? '');
  await own.untilMachines(
    'it is replaced',
    (machines) => machines.length === 1 && machines[0]?.metadata.uid !== seen?.metadata.uid,
    { timeoutMs: 40_000 },
  );
  expect(await instanceState(id)).toBe('terminated');
  await own.patchMachineSet('loners', { spec: { replicas: 0 } });
}, 120_000);

describe('an invalid configuration', () => {
  test('is a condition that names the field, and a corrected spec is taken up without being told', async () => {
    const { metadata } = await own.createMachine('invalid', {
      providerSpec: { zone: 'zone-z', instanceType: 'sim.a' },
    });
    const seen = await own.untilMachine(
      'invalid',
      (m) => conditionOf(m, 'MachineCreation')?.reason === 'InvalidConfiguration',
      'invalid configuration',
    );
    expect(conditionOf(seen, 'MachineCreation')?.message).toMatch(/providerSpec\.value\.zone.*zone-z/);
    expect(seen.status?.waiting).toMatchObject({ step: 'Launch', reason: 'InvalidConfiguration' });
    expect(seen.status?.waiting?.nextTry).toBeUndefined();
    expect(seen.status?.phase).toBe('Provisioning');
    expect(seen.status?.errorReason).toBeUndefined();
    expect((await readLedger(metadata.uid)).instances).toEqual([]);

    await own.patchMachine('invalid', { spec: { providerSpec: { value: { zone: 'zone-c' } } } });
    const up = await own.untilPhase('invalid', 'Running');
    expect(up.metadata.labels).toMatchObject({ 'machine.openshift.io/zone': 'zone-c' });
    expect(up.status?.waiting).toBeUndefined();
  }, 60_000);

  test('names a field that the provider does not know', async () => {
    await own.createMachine('unknown-field', { providerSpec: { flavour: 'big' } });
    const seen = await own.untilMachine(
      'unknown-field',
      (m) => conditionOf(m, 'MachineCreation')?.reason === 'InvalidConfiguration',
      'invalid configuration',
    );
    expect(conditionOf(seen, 'MachineCreation')?.message).toMatch(/providerSpec\.value\.flavour/);
  }, 60_000);
});

test('a providerSpec changed after the launch changes nothing and is a condition, which goes when it is changed back', async () => {
  const { metadata } = await own.createMachine('changed');
  await own.untilPhase('changed', 'Running');
  await own.patchMachine('changed', { spec: { providerSpec: { value: { instanceType: 'sim.huge' } } } });
  const seen = await own.untilMachine('changed', (m) => conditionOf(m, 'UpToDate') !== undefined, 'UpToDate');
  expect(conditionOf(seen, 'UpToDate')).toMatchObject({
    status: 'False',
    reason: 'UnsupportedChange',
    message: expect.stringMatching(/changed after the launch/),
  });
  expect(seen.status?.phase).toBe('Running');
  await own.patchMachine('changed', { spec: { providerSpec: { value: { instanceType: 'sim.small' } } } });
  await own.untilMachine('changed', (m) => conditionOf(m, 'UpToDate') === undefined, 'UpToDate is gone');
  const { instances } = await readLedger(metadata.uid);
  expect(instances).toMatchObject([{ state: 'running' }]);
}, 60_000);

test('a missing user-data Secret is told, and the machine goes on when it is there', async () => {
  await own.createMachine('no-secret', { providerSpec: { userDataSecret: { name: 'late' } } });
  const seen = await own.untilMachine('no-secret', (m) => m.status?.waiting?.reason === 'SecretMissing', 'it is told');
  expect(seen.status?.waiting?.message).toBe(
    'providerSpec.value.userDataSecret.name: Secret lifecycle-trouble/late does not exist',
  );
  await kube.create(SECRETS, 'lifecycle-trouble', {
    metadata: { name: 'late' },
    stringData: { userData: '#!/bin/sh' },
  });
  await own.untilPhase('no-secret', 'Running');
}, 60_000);

describe('a paused machine', () => {
  test('launches nothing, says so, and goes on when the pause is taken off', async () => {
    const { metadata } = await own.createMachine('paused', { annotations: { 'cluster.x-k8s.io/paused': '' } });
    const seen = await own.untilMachine('paused', (m) => conditionOf(m, 'Paused') !== undefined, 'Paused');
    expect(conditionOf(seen, 'Paused')).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/cluster\.x-k8s\.io\/paused is set/),
    });
    await quiet();
    expect((await readLedger(metadata.uid)).calls).toEqual([]);
    await unpause(own, 'paused');
    const up = await own.untilPhase('paused', 'Running');
    expect(conditionOf(up, 'Paused')).toBeUndefined();
  }, 60_000);

  test('is not deleted before the pause is taken off', async () => {
    const up = await own.untilPhase('paused', 'Running');
    await pause(own, 'paused');
    await own.untilMachine('paused', (m) => conditionOf(m, 'Paused') !== undefined, 'Paused');
    await own.deleteMachine('paused');
    await quiet();
    expect((await own.machine('paused'))?.status?.phase).toBe('Running');
    expect((await readLedger(up.metadata.uid)).instances).toMatchObject([{ state: 'running' }]);
    await unpause(own, 'paused');
    await until(
      'it is gone',
      () => own.machine('paused'),
      (m) => m === undefined,
    );
  }, 90_000);
});

test('a machine that comes with a providerID adopts that instance, which the operator allowed, and launches nothing', async () => {
  const cluster = 'lifecycle-trouble';
  const { id, providerID } = await launchByHand('sim.adopted', { tags: { cluster, name: 'adopted' } });
  await kube.apply(CLUSTERS, cluster, cluster, { metadata: { name: cluster }, spec: {} }, { fieldManager: 'test' });
  const { metadata } = await own.createMachine('adopted', { spec: { providerID } });
  const up = await own.untilMachine(
    'adopted',
    (m) => m.status?.phase === 'Running' && m.status.providerStatus?.instanceState === 'running',
    'runs',
  );
  expect(up.status?.providerStatus?.instanceId).toBe(id);
  expect(up.metadata.labels).toMatchObject({
    'machine.openshift.io/instance-type': 'sim.adopted',
    'machine.openshift.io/zone': 'zone-b',
  });
  const launched = (await readLedger(metadata.uid)).calls.filter(({ action }) => action === 'launch');
  expect(launched.filter(({ instance }) => instance !== id)).toEqual([]);
  const nodeName = up.status?.nodeRef?.name ?? '';
  await own.removeMachine('adopted');
  expect(await instanceState(id)).toBe('terminated');
  expect(await readNode(nodeName)).toBeUndefined();
}, 90_000);

test('a refusal for lack of capacity is waited out with an event, and is never Failed', async () => {
  await behave('sim.scarce', { capacity: 0 });
  const { metadata } = await own.createMachine('scarce', { providerSpec: { instanceType: 'sim.scarce' } });
  const seen = await own.untilMachine(
    'scarce',
    (m) => conditionOf(m, 'MachineCreation')?.reason === 'InsufficientInstanceCapacity',
    'no capacity',
  );
  expect(seen.status?.phase).toBe('Provisioning');
  expect(seen.status?.waiting?.nextTry).toBeDefined();
  const { items } = await kube.list<{ reason: string; type: string }>(EVENTS, {
    namespace: 'lifecycle-trouble',
    fieldSelector: 'involvedObject.name=scarce',
  });
  expect(items).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'FailedCreate' }));
  await behave('sim.scarce', {});
  await own.removeMachine('scarce');
  expect((await readLedger(metadata.uid)).instances).toEqual([]);
}, 60_000);
