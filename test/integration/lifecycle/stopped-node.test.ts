import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { NODES, PODS, VOLUME_ATTACHMENTS, VOLUME_CLAIMS, VOLUMES, type Resource } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { followChanges, type Observed } from '../follow-changes.ts';
import { until } from '../until.ts';
import { instanceState, silenceByHand, stopByHand } from './cloud.ts';
import { conditionOf, readNode, type OwnNamespace } from './own-namespace.ts';
import { openRoom, type OwnRoom } from './own-room.ts';
import { isServing, type MaybeReady } from './ready-record.ts';
import { podSpec, Workloads } from './workloads.ts';

const { kube, kubeconfig } = getStack();
const NAMESPACE = 'lifecycle-stopped-node';
const STATEFUL_SETS: Resource = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};
/** As the stack has it: from then on Kubernetes says that a silent Node cannot be asked. */
const NODE_GRACE_MS = 15_000;
/** How long it has been silent then until it counts as one that cannot answer. */
const SILENT_MS = 60_000;
/** After that silence a pod runs elsewhere so soon: Kubernetes looks at Nodes every 5 s, and takes pods from one that is out of service every 20 s. */
const ELSEWHERE_MS = 60_000;
const KUBERNETES_MS = 40_000;
const workloads = new Workloads(NAMESPACE);
let own: OwnNamespace;
let room: OwnRoom;
/** Its instance runs, its kubelet is silent, and its deletion was asked for: from before the first test on. */
let mute: MachineObject;

beforeAll(async () => {
  room = await openRoom(NAMESPACE);
  ({ own } = room);
  mute = await runMute();
}, 300_000);

afterAll(
  () =>
    room.end(async () => {
      // There is no Node left that its pod could go to.
      await unlessGone(kube.delete(STATEFUL_SETS, NAMESPACE, 'db'));
      // No kubelet says that it has unmounted the volume.
      for (const { metadata } of await own.machines()) {
        await own.patchMachine(metadata.name, { spec: { drain: { volumeDetachTimeout: '1s' } } });
      }
      await own.end();
      await unlessGone(kube.delete(VOLUME_CLAIMS, NAMESPACE, 'data-db-0'));
      await unlessGone(kube.delete(VOLUMES, undefined, NAMESPACE));
    }),
  150_000,
);

async function runMute(): Promise<MachineObject> {
  await own.createMachine('mute');
  const machine = await own.untilPhase('mute', 'Running');
  // What Kubernetes does to pods on silent Nodes after five minutes is not what is tested.
  const tolerations = ['unreachable', 'not-ready'].map((word) => ({
    key: `node.kubernetes.io/${word}`,
    operator: 'Exists',
  }));
  await workloads.runPod(machine, 'queue', { tolerations });
  await workloads.limit('queue', 'queue', 1);
  await silenceByHand(instanceOf(machine));
  await own.deleteMachine('mute');
  return machine;
}

const instanceOf = ({ status }: MachineObject): string => status?.providerStatus?.instanceId ?? '';

async function runMachine(name: string): Promise<MachineObject> {
  const machine = await room.runMachine(name);
  // As a kubelet asks for it, which else would attach volumes itself.
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
  await kube.mergePatch(NODES, undefined, machine.status?.nodeRef?.name ?? '', { metadata: { annotations } });
  return machine;
}

interface Attachment {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName?: string } };
}

/** Where Kubernetes attaches the volume. */
async function attachments(): Promise<Attachment[]> {
  const { items } = await kube.list<Attachment>(VOLUME_ATTACHMENTS);
  return items.filter(({ spec }) => spec.source.persistentVolumeName === NAMESPACE);
}

/** For longer than it takes until it counts as one that cannot answer. */
function isSilentForLong(node: Node | undefined): boolean {
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'Unknown' && Date.now() > Date.parse(ready.lastTransitionTime ?? '') + SILENT_MS + 5000;
}

const database = () => unlessGone(kube.get<MaybeReady & { spec: { nodeName?: string } }>(PODS, NAMESPACE, 'db-0'));

async function untilServedOn(node: string, timeoutMs: number): Promise<void> {
  await until(
    `db-0 is Ready on ${node}`,
    database,
    (pod) => pod !== undefined && pod.spec.nodeName === node && isServing(pod),
    { timeoutMs },
  );
}

async function untilGone(name: string, timeoutMs: number): Promise<void> {
  await own.untilMachines(`${name} is gone`, (left) => left.every(({ metadata }) => metadata.name !== name), {
    timeoutMs,
  });
}

/** A Machine from when it says that its instance was stopped: on a busy computer it is gone before anybody looks again. */
async function recordStopped(name: string): Promise<{ readonly stopped?: Observed; stop(): void }> {
  const { resourceVersion } = await kube.list(MACHINES, { namespace: NAMESPACE });
  const record: { stopped?: Observed; stop(): void } = { stop: () => {} };
  const followed = { resource: MACHINES, namespace: NAMESPACE, resourceVersion };
  record.stop = await followChanges(loadKubeConfig({ kubeconfig }), followed, (_change, seen) => {
    const machine = seen as Observed & MachineObject;
    const isIt = machine.metadata.name === name && conditionOf(machine, 'Drained')?.reason === 'InstanceStopped';
    if (isIt) record.stopped ??= seen;
  });
  return record;
}

/** One replica, with a volume that can be attached to one Node at a time. */
async function runDatabase(): Promise<void> {
  const storage = { storage: '1Gi' };
  const accessModes = ['ReadWriteOnce'];
  await kube.create(VOLUMES, undefined, {
    metadata: { name: NAMESPACE },
    spec: {
      capacity: storage,
      accessModes,
      csi: { driver: 'disks.example.com', volumeHandle: NAMESPACE },
      claimRef: { namespace: NAMESPACE, name: 'data-db-0' },
    },
  });
  const labels = { app: 'db' };
  const containers = [{ name: 'main', image: 'none', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
  await kube.create(STATEFUL_SETS, NAMESPACE, {
    metadata: { name: 'db' },
    spec: {
      serviceName: 'db',
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...podSpec(NAMESPACE, room.labels), containers } },
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes, storageClassName: '', resources: { requests: storage } } },
      ],
    },
  });
}

test('the pod of a StatefulSet that its budget keeps on a stopped instance runs elsewhere, with its volume', async () => {
  const first = await runMachine('first');
  const firstNode = first.status?.nodeRef?.name ?? '';
  await runDatabase();
  await untilServedOn(firstNode, 60_000);
  const [wanted] = await until(
    'its volume is to be attached',
    attachments,
    ([one]) => one?.spec.nodeName === firstNode,
  );
  // As the volume's driver does: for two minutes Kubernetes detaches nothing that it waits for.
  await kube.mergePatch(
    VOLUME_ATTACHMENTS,
    undefined,
    wanted?.metadata.name ?? '',
    { status: { attached: true } },
    { subresource: 'status' },
  );
  await workloads.limit('db', 'db', 1);
  const second = await runMachine('second');

  const id = instanceOf(first);
  const record = await recordStopped('first');
  await stopByHand(id);
  const stoppedAt = Date.now();
  await own.deleteMachine('first');
  const stopped = await until(
    'first says that nothing runs there',
    async () => record.stopped,
    (seen) => seen !== undefined,
    { timeoutMs: NODE_GRACE_MS + ELSEWHERE_MS },
  );
  const toldMs = Date.now() - stoppedAt;
  record.stop();
  expect(stopped?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Drained', status: 'True' }));
  await untilServedOn(second.status?.nodeRef?.name ?? '', KUBERNETES_MS);
  const [told, served] = [toldMs, Date.now() - stoppedAt].map((ms) => Math.round(ms / 1000));
  console.log(
    `${told} s after its instance was stopped its Node was left to Kubernetes, after ${served} s db-0 ran elsewhere`,
  );
  expect(served).toBeLessThan((NODE_GRACE_MS + ELSEWHERE_MS) / 1000);

  await untilGone('first', 60_000);
  expect(await instanceState(id)).toBe('terminated');
  expect(await readNode(firstNode)).toBeUndefined();
  expect((await attachments()).filter(({ spec }) => spec.nodeName === firstNode)).toEqual([]);
}, 300_000);

test('on a silent Node whose instance runs budgets hold, and say so; Force goes on', async () => {
  const node = mute.status?.nodeRef?.name ?? '';
  const silent = await until('its Node is silent for long', () => readNode(node), isSilentForLong, {
    timeoutMs: NODE_GRACE_MS + SILENT_MS + KUBERNETES_MS,
  });
  expect(silent?.spec?.taints?.map(({ key }) => key)).not.toContain('node.kubernetes.io/out-of-service');
  // Of a silent Node Kubernetes says that its pods are not Ready.
  const words = `pod ${NAMESPACE}/queue-1: PodDisruptionBudget queue allows 0 disruptions now (0 healthy, 1 needed)`;
  const held = await own.untilMachine(
    'mute',
    (m) => conditionOf(m, 'Drained')?.message?.includes(words) === true,
    'its budget blocks it',
  );
  expect(conditionOf(held, 'Drained')).toMatchObject({ status: 'False', reason: 'PodsBlocked' });
  expect(await instanceState(instanceOf(mute))).toBe('running');
  expect((await workloads.pod('queue-1'))?.metadata.deletionTimestamp).toBeUndefined();

  await own.patchMachine('mute', { spec: { drain: { timeout: '30s', onTimeout: 'Force' } } });
  await untilGone('mute', KUBERNETES_MS + 60_000);
  expect(await instanceState(instanceOf(mute))).toBe('terminated');
  expect(await readNode(node)).toBeUndefined();
  await until(
    'its pod is gone',
    () => workloads.pod('queue-1'),
    (pod) => pod === undefined,
    { timeoutMs: KUBERNETES_MS },
  );
}, 300_000);
