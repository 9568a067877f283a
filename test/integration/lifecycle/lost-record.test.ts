import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { refOf } from '../../../k8s/dialects/kind.ts';
import { tokenOf } from '../../../k8s/launch-token.ts';
import { CLUSTER_LABEL, FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { CLUSTERS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS } from '../../../k8s/resources.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { releaseInventory, type ReleasedInventory } from '../scale/released-inventory.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { instanceState, isLive, launchByHand, readLedger, terminateByHand } from './cloud.ts';
import { machineManifest } from './manifests.ts';
import { conditionOf, isAtRest, openNamespace, pause, unpause, type OwnNamespace } from './own-namespace.ts';

const NAMESPACE = 'lifecycle-lost';
const { kube, temporal } = getStack();
let inventory: ReleasedInventory;
let own: OwnNamespace;

beforeAll(async () => {
  inventory = await releaseInventory();
  own = await openNamespace(NAMESPACE, { workerArgs: ['--inventory-interval', '2'] });
}, 120_000);

afterAll(async () => {
  await inventory.hold();
  await own.end();
}, 120_000);

const instanceOf = (m: MachineObject) => m.status?.providerStatus?.instanceId ?? '';

async function running(name: string): Promise<MachineObject> {
  await own.createMachine(name);
  return own.untilMachine(name, isAtRest, 'runs and is at rest');
}

/** As a PUT of the status, or an older backup, leaves it. */
async function emptyStatus(name: string): Promise<void> {
  await kube.mergePatch(MACHINES, NAMESPACE, name, { status: null }, { subresource: 'status' });
}

/** What a loss of Temporal's database comes to for one machine. */
async function forgetWorkflow(machine: MachineObject): Promise<void> {
  const connection = await Connection.connect({ address: temporal.address });
  const { workflow } = new Client({ connection, namespace: temporal.namespace });
  await workflow.getHandle(workflowIdOf(refOf(machine))).terminate('forgotten');
  await connection.close();
}

/** A Machine that an older backup brought back, and of which Temporal knows nothing: its finalizer is all there is. */
async function restoreUnrecorded(machine: MachineObject): Promise<void> {
  const { name } = machine.metadata;
  await pause(own, name);
  await own.untilMachine(name, (m) => conditionOf(m, 'Paused')?.status === 'True', 'is paused');
  await forgetWorkflow(machine);
  await own.patchMachine(name, { spec: { providerID: null } });
  await emptyStatus(name);
}

async function living(uid: string) {
  return (await readLedger(uid)).instances.filter(isLive);
}

async function eventsOf(uid: string, reason: string) {
  const { items } = await kube.list<{ involvedObject: { uid?: string }; reason: string }>(EVENTS, {
    namespace: NAMESPACE,
  });
  return items.filter((event) => event.involvedObject.uid === uid && event.reason === reason);
}

it.concurrent('finalizer, providerID and status that a PUT dropped are put back at once, and no second instance comes of it', async () => {
  const up = await running('replaced');
  await own.patchMachine('replaced', { metadata: { finalizers: null }, spec: { providerID: null } });
  await emptyStatus('replaced');
  const again = await own.untilMachine(
    'replaced',
    (m) =>
      m.metadata.finalizers?.includes(FINALIZER) === true &&
      m.spec.providerID === up.spec.providerID &&
      instanceOf(m) === instanceOf(up) &&
      m.status?.phase === 'Running',
    'has its record back',
    { timeoutMs: 10_000 },
  );
  expect(again.status?.providerStatus?.launch).toEqual(up.status?.providerStatus?.launch);
  expect(again.metadata.labels).toEqual(up.metadata.labels);
  expect(await eventsOf(up.metadata.uid, 'RecordRestored')).not.toEqual([]);
  expect(await living(up.metadata.uid)).toHaveLength(1);
  await own.removeMachine('replaced');
  expect(await living(up.metadata.uid)).toEqual([]);
}, 90_000);

it.concurrent('a Machine without any record, of which Temporal knows nothing either, gets the instance that it had', async () => {
  const up = await running('restored');
  await restoreUnrecorded(up);
  await unpause(own, 'restored');
  // The status may be there a moment before the providerID.
  const again = await own.untilMachine(
    'restored',
    (m) => m.status?.phase === 'Running' && m.spec.providerID !== undefined,
    'runs, with its providerID',
  );
  expect([instanceOf(again), again.spec.providerID]).toEqual([instanceOf(up), up.spec.providerID]);
  const { instances, calls } = await readLedger(up.metadata.uid);
  expect(instances).toHaveLength(1);
  expect(calls.filter(({ action }) => action === 'launch')).toHaveLength(1);
}, 90_000);

it.concurrent('such a Machine goes only after its instance', async () => {
  const up = await running('restored-end');
  await restoreUnrecorded(up);
  await own.deleteMachine('restored-end');
  await unpause(own, 'restored-end');
  await own.untilMachines('it is gone', (left) => left.every((m) => m.metadata.name !== 'restored-end'), {
    timeoutMs: 40_000,
  });
  expect(await living(up.metadata.uid)).toEqual([]);
}, 90_000);

it.concurrent('a Machine that was restored under a new uid waits beside the instance of its name, and takes it where that is allowed', async () => {
  const labels = { [CLUSTER_LABEL]: 'lost-cluster' };
  await own.createMachine('anew', { labels });
  const up = await own.untilMachine('anew', isAtRest, 'runs and is at rest');
  await pause(own, 'anew');
  await own.untilMachine('anew', (m) => conditionOf(m, 'Paused')?.status === 'True', 'is paused');
  await forgetWorkflow(up);
  await own.patchMachine('anew', { metadata: { finalizers: null } });
  await own.deleteMachine('anew');
  expect(await instanceState(instanceOf(up))).toBe('running');
  const manifest = machineManifest(NAMESPACE, 'anew', { labels }) as { metadata: object };
  await kube.create(MACHINES, NAMESPACE, { ...manifest, metadata: { ...manifest.metadata, finalizers: [FINALIZER] } });
  const waiting = await own.untilMachine(
    'anew',
    (m) => m.status?.waiting?.reason === 'InstanceOfAnother',
    'waits, as nothing allows it to adopt',
  );
  expect(waiting.status?.waiting?.message).toContain(instanceOf(up));
  expect((await readLedger(waiting.metadata.uid)).calls.filter(({ action }) => action === 'launch')).toEqual([]);
  await kube.create(CLUSTERS, NAMESPACE, {
    apiVersion: CLUSTERS.apiVersion,
    kind: CLUSTERS.kind,
    metadata: { name: 'lost-cluster' },
    spec: {},
  });
  await own.patchMachine('anew', { metadata: { annotations: { looked: 'again' } } });
  const again = await own.untilPhase('anew', 'Running');
  expect(instanceOf(again)).toBe(instanceOf(up));
}, 90_000);

it.concurrent('a second living instance is named; it is ended where the Machine launched it, and else left', async () => {
  const up = await running('doubled');
  const { uid } = up.metadata;
  const tags = { cluster: NAMESPACE, namespace: NAMESPACE, name: 'doubled', machineUid: uid };
  const left = await launchByHand('sim.small', { tags });
  const told = await own.untilMachine(
    'doubled',
    (m) => conditionOf(m, 'InstancesUnique')?.status === 'False',
    'says that there are two',
    { timeoutMs: 30_000 },
  );
  const { message } = conditionOf(told, 'InstancesUnique') ?? {};
  for (const id of [instanceOf(up), left.id]) expect(message).toContain(id);
  expect(instanceOf(told)).toBe(instanceOf(up));
  // Somebody gave it the Machine's tags, but the token is not the Machine's.
  expect((await living(uid)).map(({ id }) => id).toSorted()).toEqual([instanceOf(up), left.id].toSorted());
  await terminateByHand(left.id);
  await own.untilMachine('doubled', (m) => conditionOf(m, 'InstancesUnique') === undefined, 'has one only');

  // As a call that slipped through, and came late, leaves one.
  const second = await launchByHand('sim.small', { clientToken: tokenOf(uid, 2), tags });
  await until(
    'the instance that the Machine launched is ended',
    () => instanceState(second.id),
    (state) => state === 'terminated' || state === 'shutting-down',
    { timeoutMs: 30_000 },
  );
  expect((await living(uid)).map(({ id }) => id)).toEqual([instanceOf(up)]);
  expect(await eventsOf(uid, 'MultipleInstances')).not.toEqual([]);
}, 90_000);
