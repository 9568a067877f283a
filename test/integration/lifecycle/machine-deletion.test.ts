import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { EVENTS, NODES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { behave, isLive, readLedger } from './cloud.ts';
import { conditionOf, openNamespace, type OwnNamespace } from './own-namespace.ts';

const { kube } = getStack();
const SLOW = 'sim.slow-launch';
const LONER = 'sim.never-joins';
let own: OwnNamespace;

beforeAll(async () => {
  await behave(SLOW, { launchLatencyMs: 4_000 });
  await behave(LONER, { joins: false });
  own = await openNamespace('lifecycle-deletion');
}, 120_000);

afterAll(async () => {
  await own.end();
  await Promise.all([SLOW, LONER].map((type) => behave(type, {})));
}, 120_000);

/** Nothing of it is left, neither in the cloud nor in the cluster. */
async function expectNothingLeft(uid: string, ids: readonly string[]): Promise<void> {
  const { instances } = await readLedger(uid);
  expect(instances.filter(isLive)).toEqual([]);
  const { items } = await kube.list<Node>(NODES);
  const left = items.filter(({ spec }) => ids.includes(spec?.providerID?.split('/').at(-1) ?? ''));
  expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
}

test('of a machine that never launched makes no call to the cloud', async () => {
  const { metadata } = await own.createMachine('unlaunched', { providerSpec: { zone: 'zone-z' } });
  await own.untilMachine('unlaunched', (m) => m.status?.waiting?.reason === 'InvalidConfiguration', 'it waits');
  await own.removeMachine('unlaunched');
  expect((await readLedger(metadata.uid)).calls).toEqual([]);
}, 60_000);

test('of a machine whose launch is under way ends what comes of it', async () => {
  const { metadata } = await own.createMachine('provisioning', { providerSpec: { instanceType: SLOW } });
  const launching = await own.untilMachine(
    'provisioning',
    (m) => m.status?.providerStatus?.launch !== undefined,
    'the launch is prepared',
  );
  expect(launching.status?.phase).toBe('Provisioning');
  await own.removeMachine('provisioning');
  const { instances } = await readLedger(metadata.uid);
  expect(instances).toHaveLength(1);
  await expectNothingLeft(metadata.uid, [instances[0]?.id ?? '']);
}, 60_000);

test('of a machine with lifecycle hooks waits for those who own them, with all it has, and goes on when they are removed', async () => {
  const lifecycleHooks = {
    preDrain: [{ name: 'EtcdQuorumOperator', owner: 'clusteroperator/etcd' }],
    preTerminate: [{ name: 'example.com/CopyLogs', owner: 'log-copier' }],
  };
  const { metadata } = await own.createMachine('guarded', { spec: { lifecycleHooks } });
  const running = await own.untilPhase('guarded', 'Running');
  await own.deleteMachine('guarded');
  const isHeld = (m: MachineObject) => m.status?.waiting?.reason === 'HookPresent';
  const held = await own.untilMachine('guarded', isHeld, 'it waits for its hooks');
  expect(held.status?.waiting?.message).toMatch(/EtcdQuorumOperator of clusteroperator\/etcd/);
  expect(conditionOf(held, 'Drainable')).toMatchObject({ status: 'False', reason: 'HookPresent' });

  await own.patchMachine('guarded', { spec: { lifecycleHooks: { preDrain: null } } });
  const isDrained = (m: MachineObject) => conditionOf(m, 'Terminable') !== undefined;
  const drained = await own.untilMachine('guarded', isDrained, 'only the other hook holds it');
  expect(conditionOf(drained, 'Drainable')).toBeUndefined();
  expect(drained.status?.waiting?.message).toMatch(/CopyLogs of log-copier/);
  const { calls, instances } = await readLedger(metadata.uid);
  expect(calls.filter(({ action }) => action === 'terminate')).toEqual([]);
  expect(instances.map(({ state }) => state)).toEqual(['running']);

  await own.patchMachine('guarded', { spec: { lifecycleHooks: null } });
  await own.untilMachines('it is gone', (left) => left.every((m) => m.metadata.name !== 'guarded'));
  await expectNothingLeft(metadata.uid, [running.status?.providerStatus?.instanceId ?? '']);
}, 90_000);

test('of a Provisioned machine', async () => {
  const { metadata } = await own.createMachine('provisioned', { providerSpec: { instanceType: LONER } });
  const seen = await own.untilPhase('provisioned', 'Provisioned');
  await own.removeMachine('provisioned');
  await expectNothingLeft(metadata.uid, [seen.status?.providerStatus?.instanceId ?? '']);
}, 60_000);

test('of a Running machine tells what it does, and takes the Node with it', async () => {
  await behave('sim.slow-end', { terminateMs: 3_000 });
  const { metadata } = await own.createMachine('running', { providerSpec: { instanceType: 'sim.slow-end' } });
  const up = await own.untilPhase('running', 'Running');
  await own.deleteMachine('running');
  const going = await own.untilMachine(
    'running',
    (m) => m.status?.providerStatus?.instanceState === 'shutting-down',
    'it terminates',
  );
  expect(going.status?.phase).toBe('Deleting');
  expect(going.status?.waiting).toMatchObject({ step: 'Terminate', reason: 'InstanceTerminating' });
  await until(
    'it is gone',
    () => own.machine('running'),
    (m) => m === undefined,
  );
  await expectNothingLeft(metadata.uid, [up.status?.providerStatus?.instanceId ?? '']);
  const { items } = await kube.list<{ reason: string }>(EVENTS, {
    namespace: 'lifecycle-deletion',
    fieldSelector: 'involvedObject.name=running',
  });
  expect(items.map(({ reason }) => reason)).toContain('Delete');
  await behave('sim.slow-end', {});
}, 60_000);

test('of a Failed machine ends the instance that was kept', async () => {
  const { metadata } = await own.createMachine('failed', {
    providerSpec: { instanceType: LONER },
    spec: { creationTimeoutSeconds: 1 },
  });
  const failed = await own.untilPhase('failed', 'Failed');
  expect((await readLedger(metadata.uid)).instances.filter(isLive)).toHaveLength(1);
  await own.removeMachine('failed');
  await expectNothingLeft(metadata.uid, [failed.status?.providerStatus?.instanceId ?? '']);
}, 60_000);

test('of a machine whose spec names another provider by now ends the instance where it is', async () => {
  const { metadata } = await own.createMachine('moved');
  const up = await own.untilPhase('moved', 'Running');
  await own.patchMachine('moved', { spec: { providerSpec: { value: { kind: 'CloudNobodyKnows' } } } });
  await own.removeMachine('moved');
  await expectNothingLeft(metadata.uid, [up.status?.providerStatus?.instanceId ?? '']);
}, 60_000);
