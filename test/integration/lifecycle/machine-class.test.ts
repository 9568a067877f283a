import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ClusterObject } from '../../../k8s/api/machine.openshift.io/cluster.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { CLUSTERS, MACHINE_CLASSES } from '../../../k8s/dialects/openshift/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { readLedger } from './cloud.ts';
import { conditionOf, openNamespace, type OwnNamespace } from './own-namespace.ts';

const NAMESPACE = 'lifecycle-class';
const { kube } = getStack();
let own: OwnNamespace;

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
}, 120_000);

afterAll(async () => {
  await own?.end();
}, 120_000);

const fromClass = (name: string) => ({ spec: { providerSpec: { valueFrom: { machineClass: { name } } } } });
const classOf = (name: string, more: object) => ({
  apiVersion: MACHINE_CLASSES.apiVersion,
  kind: MACHINE_CLASSES.kind,
  metadata: { name, namespace: NAMESPACE },
  provider: 'simulated',
  ...more,
});

const pauseOf = ({ status }: MachineSetObject) => status?.conditions?.find(({ type }) => type === 'Paused');

async function readClass(name: string) {
  interface Stored {
    readonly metadata: { readonly finalizers?: readonly string[]; readonly deletionTimestamp?: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message: string }[] };
  }
  const { items } = await kube.list<Stored & { metadata: { name: string } }>(MACHINE_CLASSES, { namespace: NAMESPACE });
  return items.find(({ metadata }) => metadata.name === name);
}

test('a Machine waits for a class that does not exist, and is launched when it comes; the class stays as long as it is used', async () => {
  const machine = await own.createMachine('classy', fromClass('small'));
  const waiting = await own.untilMachine('classy', (m) => m.status?.waiting !== undefined, 'waits');
  expect(waiting.status?.waiting).toMatchObject({
    reason: 'MachineClassMissing',
    message: expect.stringMatching(/machineClass\.name: MachineClass lifecycle-class\/small does not exist/),
  });
  await kube.create(
    MACHINE_CLASSES,
    NAMESPACE,
    classOf('small', { providerSpec: { instanceType: 'sim.small', zone: 'zone-b' } }),
  );
  const up = await own.untilPhase('classy', 'Running');
  expect(up.metadata.labels?.['machine.openshift.io/zone']).toBe('zone-b');
  expect((await readLedger(machine.metadata.uid)).instances).toHaveLength(1);

  await kube.delete(MACHINE_CLASSES, NAMESPACE, 'small');
  const held = await until(
    'the class says who uses it',
    () => readClass('small'),
    (c) => c?.status?.conditions?.some(({ type }) => type === 'InUse') === true,
  );
  expect(held?.metadata.deletionTimestamp).toBeDefined();
  expect(held?.status?.conditions?.find(({ type }) => type === 'InUse')?.message).toContain('classy');
  await own.removeMachine('classy');
  await until(
    'the class is gone',
    () => readClass('small'),
    (c) => c === undefined,
    { timeoutMs: 30_000 },
  );
}, 180_000);

test('what is wrong with a class is said in its words, and mended there it goes on by itself', async () => {
  await kube.create(
    MACHINE_CLASSES,
    NAMESPACE,
    classOf('crooked', { providerSpec: { instanceType: 'sim.small', zone: 7 } }),
  );
  await own.createMachine('bent', fromClass('crooked'));
  const told = await own.untilMachine('bent', (m) => m.status?.waiting?.reason === 'InvalidConfiguration', 'is told');
  expect(conditionOf(told, 'MachineCreation')?.message).toMatch(
    /MachineClass lifecycle-class\/crooked: providerSpec\.zone/,
  );
  await kube.mergePatch(MACHINE_CLASSES, NAMESPACE, 'crooked', { providerSpec: { zone: 'zone-a' } });
  await own.untilPhase('bent', 'Running');
  await own.removeMachine('bent');
}, 120_000);

test('a Cluster gives its machines what they leave out, pauses all of them and its sets, and counts them', async () => {
  const cluster = {
    apiVersion: CLUSTERS.apiVersion,
    kind: CLUSTERS.kind,
    metadata: { name: NAMESPACE, namespace: NAMESPACE },
    spec: { paused: true, defaults: { tags: [{ name: 'team', value: 'platform' }] } },
  };
  await kube.create(CLUSTERS, NAMESPACE, cluster);
  const machine = await own.createMachine('clustered');
  const paused = await own.untilMachine('clustered', (m) => conditionOf(m, 'Paused')?.status === 'True', 'is paused');
  expect(conditionOf(paused, 'Paused')?.message).toContain(`Cluster ${NAMESPACE}/${NAMESPACE} is paused`);
  expect((await readLedger(machine.metadata.uid)).instances).toEqual([]);
  await own.createMachineSet('workers', { replicas: 1 });
  const isHeld = (set: MachineSetObject) => pauseOf(set)?.status === 'True';
  const held = await own.untilMachineSet('workers', isHeld, 'is held by its Cluster');
  expect(pauseOf(held)?.message).toContain(`Cluster ${NAMESPACE}/${NAMESPACE} is paused`);
  expect(held.status?.replicas).toBe(0);
  await kube.mergePatch(CLUSTERS, NAMESPACE, NAMESPACE, { spec: { paused: false } });
  const up = await own.untilPhase('clustered', 'Running');
  await own.untilMachineSet('workers', (set) => set.status?.readyReplicas === 1, 'goes on');
  const counted = await until(
    'the Cluster counts its machines',
    () => kube.get<ClusterObject>(CLUSTERS, NAMESPACE, NAMESPACE),
    ({ status }) => status?.readyMachines === 2,
    { timeoutMs: 40_000 },
  );
  expect([counted.status?.machines, counted.status?.conditions ?? []]).toEqual([2, []]);
  await own.patchMachineSet('workers', { spec: { replicas: 0 } });
  expect(JSON.stringify(up.status?.providerStatus?.launch?.parameters)).toContain('"team":"platform"');
  await own.removeMachine('clustered');
  await kube.delete(CLUSTERS, NAMESPACE, NAMESPACE);
}, 120_000);
