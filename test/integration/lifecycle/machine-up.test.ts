import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createFaultProxy, type FaultProxy } from '../../../devstack/doubles/fault-proxy/fault-proxy.ts';
import { createSimulatedCloudClassifier } from '../../../devstack/doubles/fault-proxy/simulated-cloud-classifier.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { EVENTS, NODES } from '../../../k8s/resources.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { tableOf } from '../api/raw-request.ts';
import { watchSlowness } from '../slowness.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { readLedger } from './cloud.ts';
import { conditionOf, isAtRest, openNamespace, readNode, type OwnNamespace } from './own-namespace.ts';

const { kube, kubeconfig, cloud } = getStack();
let own: OwnNamespace;
let proxy: FaultProxy;

beforeAll(async () => {
  proxy = await createFaultProxy({ target: cloud.endpoint, ...createSimulatedCloudClassifier() });
  own = await openNamespace('lifecycle-up', { worker: { cloudEndpoint: proxy.url } });
}, 120_000);

afterAll(async () => {
  await own.end();
  await proxy.close();
}, 120_000);

describe('a machine that comes up', () => {
  let machine: MachineObject;
  let node: Node;

  beforeAll(async () => {
    await own.createMachine('up', {
      providerSpec: { instanceType: 'sim.large', zone: 'zone-b' },
      spec: {
        metadata: { labels: { 'node-role.kubernetes.io/worker': '', team: 'blue' }, annotations: { note: 'kept' } },
        taints: [{ key: 'example.com/dedicated', value: 'batch', effect: 'NoSchedule' }],
      },
    });
    machine = await own.untilMachine('up', isAtRest, 'runs and is at rest');
    const seen = await readNode(machine.status?.nodeRef?.name ?? '');
    if (seen === undefined) throw new Error('it has no Node');
    node = seen;
  }, 60_000);

  test('is Running, launched once, and waits for nothing', async () => {
    expect(machine.status).toMatchObject({ phase: 'Running', observedGeneration: machine.metadata.generation });
    expect(machine.status?.waiting).toBeUndefined();
    expect(machine.status?.errorReason).toBeUndefined();
    const { instances, calls } = await readLedger(machine.metadata.uid);
    expect(instances).toMatchObject([{ state: 'running', id: machine.status?.providerStatus?.instanceId }]);
    expect(calls.filter(({ action }) => action === 'launch')).toHaveLength(1);
  });

  test('carries the instance in its providerID, labels, annotation, addresses and finalizer', () => {
    const id = machine.status?.providerStatus?.instanceId ?? '';
    expect(machine.spec.providerID).toBe(`simulated:///zone-b/${id}`);
    expect(machine.metadata.labels).toMatchObject({
      'machine.openshift.io/region': 'sim-1',
      'machine.openshift.io/zone': 'zone-b',
      'machine.openshift.io/instance-type': 'sim.large',
    });
    expect(machine.metadata.annotations).toMatchObject({ 'machine.openshift.io/instance-state': 'running' });
    expect(machine.metadata.finalizers).toContain('machine.machine.openshift.io');
    expect(machine.status?.addresses).toEqual(
      expect.arrayContaining([
        { type: 'InternalIP', address: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) },
        { type: 'InternalDNS', address: node.metadata.name },
      ]),
    );
  });

  test('says in its conditions that instance and Node are there', () => {
    expect(conditionOf(machine, 'InstanceExists')).toMatchObject({ status: 'True', reason: 'InstanceExists' });
    expect(conditionOf(machine, 'MachineCreation')).toMatchObject({
      status: 'True',
      reason: 'MachineCreationSucceeded',
    });
    expect(conditionOf(machine, 'NodeReady')).toMatchObject({ status: 'True', reason: 'NodeReady' });
    expect(conditionOf(machine, 'Paused')).toBeUndefined();
    expect(conditionOf(machine, 'UpToDate')).toBeUndefined();
  });

  test('is linked with its Node both ways, and gives it labels, annotations and taints', () => {
    expect(machine.status?.nodeRef).toMatchObject({ kind: 'Node', name: node.metadata.name, uid: node.metadata.uid });
    expect(node.spec?.providerID).toBe(machine.spec.providerID);
    expect(node.metadata.annotations).toMatchObject({
      'machine.openshift.io/machine': 'lifecycle-up/up',
      note: 'kept',
    });
    expect(node.metadata.labels).toMatchObject({
      'node-role.kubernetes.io/worker': '',
      team: 'blue',
      // The kubelet's own.
      'kubernetes.io/os': 'linux',
    });
    expect(node.spec?.taints).toContainEqual(
      expect.objectContaining({ key: 'example.com/dedicated', value: 'batch', effect: 'NoSchedule' }),
    );
  });

  test('leaves events that tell its story', async () => {
    const list = () =>
      kube.list<{ reason: string; type: string; message: string }>(EVENTS, {
        namespace: 'lifecycle-up',
        fieldSelector: 'involvedObject.name=up',
      });
    const { items } = await until('two events', list, ({ items: seen }) => seen.length >= 2);
    expect(items.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual([
      'Normal Create',
      'Normal SuccessfulSetNodeRef',
    ]);
    expect(items.find(({ reason }) => reason === 'Create')?.message).toBe(
      `Created instance ${machine.status?.providerStatus?.instanceId ?? ''} in zone-b`,
    );
  });

  test('shows all of it in the columns of kubectl get -o wide', async () => {
    const { columnDefinitions, rows } = await tableOf(kubeconfig, 'lifecycle-up', 'machines');
    const row = rows.find(({ cells }) => cells[0] === 'up');
    const shown = Object.fromEntries(columnDefinitions.map(({ name }, i) => [name, row?.cells[i]]));
    expect(shown).toMatchObject({
      Name: 'up',
      Phase: 'Running',
      Type: 'sim.large',
      Region: 'sim-1',
      Zone: 'zone-b',
      Node: node.metadata.name,
      ProviderID: machine.spec.providerID,
      State: 'running',
    });
    expect(shown['Age']).toEqual(expect.stringMatching(/^\d+[smh]/));
  });

  test('puts a label that is added to its spec on the Node, and puts back what somebody takes off', async () => {
    await own.patchMachine('up', { spec: { metadata: { labels: { team: 'green' } } } });
    const look = () => readNode(node.metadata.name);
    await until('the new label', look, (seen) => seen?.metadata.labels?.['team'] === 'green', { timeoutMs: 15_000 });
    await kube.mergePatch(NODES, undefined, node.metadata.name, { spec: { taints: null } });
    await until('the taint', look, (seen) => seen?.spec?.taints?.[0]?.key === 'example.com/dedicated', {
      timeoutMs: 15_000,
    });
  }, 40_000);
});

/** From the record of the launch's answer to Running, where the Node is there already. */
const MOST_MS = 2_000;

test('a machine whose Node registers before the launch’s answer arrives is Running within 2 s of the record', async () => {
  const rule = proxy.addRule({ match: { verb: 'launch' }, fault: { kind: 'delay-answer', ms: 6_000 } });
  try {
    const { metadata } = await own.createMachine('early-node');
    const [instance] = await until(
      'the instance is made',
      async () => (await readLedger(metadata.uid)).instances,
      (seen) => seen.length === 1,
      { timeoutMs: 20_000 },
    );
    const findNode = async () =>
      (await kube.list<Node>(NODES)).items.find(({ spec }) => spec?.providerID?.endsWith(`/${instance?.id}`) === true);
    await until('its Node', findNode, (seen) => seen !== undefined, { timeoutMs: 5_500, everyMs: 100 });
    const before = await own.machine('early-node');
    expect(before?.spec.providerID).toBeUndefined();
    expect(before?.status?.phase).toBe('Provisioning');

    const quick = { timeoutMs: 20_000, everyMs: 50 };
    await own.untilMachine('early-node', (m) => m.spec.providerID !== undefined, 'the answer is recorded', quick);
    const recordedAt = Date.now();
    const slowness = watchSlowness();
    await own.untilPhase('early-node', 'Running', quick);
    const tookMs = Date.now() - recordedAt;
    console.log(`Running ${tookMs} ms after the record of the launch`);
    expect(tookMs).toBeLessThan(MOST_MS * slowness());
    expect((await readLedger(metadata.uid)).instances).toHaveLength(1);
  } finally {
    rule.remove();
  }
}, 60_000);
