import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { isNotFound, unlessGone } from '../../../k8s/kube-error.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { CLUSTERS, MACHINE_CLASSES, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  NAMESPACES,
  NODES,
  PODS,
  SECRETS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  type Resource,
} from '../../../k8s/resources.ts';
import { behave } from '../lifecycle/cloud.ts';
import { machineManifest, machineSetManifest } from '../lifecycle/manifests.ts';
import { releaseInventory, type ReleasedInventory } from '../scale/released-inventory.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { CHART, helm, renderChart, type Rendered } from './chart.ts';
import { makeImageTree, type ImageTree } from './image-tree.ts';
import { permissionUse } from './permission-use.ts';
import { startPod, type PodProcess, type PodSpec } from './pod-process.ts';

/** Where the release is, and where its Machines are. */
const NAMESPACE = 'millwright-system';
const MACHINES_NAMESPACE = 'deployed-machines';
/** Deleted before the installation, so that it has something to create. */
const POLICY = 'machine-cluster-label.millwright.dev';
const { kube, kubeconfig, temporal, cloud } = getStack();

let image: ImageTree;
let inventory: ReleasedInventory;
const pods: PodProcess[] = [];
let installer: PodProcess;
let worker: PodProcess;
let watcher: PodProcess;

/** As a user's values file has them; times that let a test end soon, and one namespace of the shared cluster. */
const values = {
  temporal: { address: temporal.address, namespace: temporal.namespace },
  taskQueue: NAMESPACE,
  worker: {
    extraArgs: ['--termination-look=0.5', '--gone-window=2', '--consistency-window=3', '--inventory-interval=3'],
    extraEnv: [{ name: 'MILLWRIGHT_SIMULATED_ENDPOINT', value: cloud.endpoint }],
  },
  watcher: { extraArgs: [`--namespace=${MACHINES_NAMESPACE}`] },
};
const flags = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
const release = ['--kubeconfig', kubeconfig, '--namespace', NAMESPACE];

beforeAll(async () => {
  image = await makeImageTree();
  inventory = await releaseInventory();
  // What the strictest of Kubernetes' own profiles refuses comes as no pod here.
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await kube.create(NAMESPACES, undefined, { metadata: { name: NAMESPACE, labels } });
  await kube.create(NAMESPACES, undefined, { metadata: { name: MACHINES_NAMESPACE } });
}, 300_000);

afterAll(async () => {
  await Promise.all(pods.map((pod) => pod.close()));
  await inventory?.hold();
  await image?.remove();
}, 60_000);

interface Pod {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

async function podOf(component: string): Promise<Pod> {
  const labelSelector = `app.kubernetes.io/component=${component}`;
  const look = async () => (await kube.list<Pod>(PODS, { namespace: NAMESPACE, labelSelector })).items;
  const [pod] = await until(`a pod of ${component}`, look, (found) => found.length > 0, { timeoutMs: 30_000 });
  if (pod === undefined) throw new Error(`no pod of ${component}`);
  return pod;
}

async function start(pod: Pod): Promise<PodProcess> {
  const started = await startPod(NAMESPACE, pod.spec, image);
  pods.push(started);
  return started;
}

/** Told to end, it does so by itself; else what it says of that. */
async function endOf(pod: PodProcess): Promise<string> {
  const code = await pod.end();
  return code === 0 ? 'by itself' : `with exit code ${code}: ${await pod.log()}`;
}

/** Nobody runs pods here: this does what a kubelet does for the pod of the hook's Job. */
async function runHook(): Promise<void> {
  const pod = await podOf('install');
  installer = await start(pod);
  const code = await installer.ended;
  if (code !== 0) throw new Error(`millwright install ended with exit code ${code}: ${await installer.log()}`);
  await kube.mergePatch(
    PODS,
    NAMESPACE,
    pod.metadata.name,
    { status: { phase: 'Succeeded' } },
    { subresource: 'status' },
  );
}

test('helm install runs the installation first, under its own account, and then makes everything', async () => {
  await kube.delete(VALIDATING_ADMISSION_POLICY_BINDINGS, undefined, POLICY);
  await kube.delete(VALIDATING_ADMISSION_POLICIES, undefined, POLICY);
  const installing = helm('install', 'millwright', CHART, ...release, ...flags, '--timeout', '90s');
  // A Helm that fails says why; one that waits for the hook says nothing.
  await Promise.race([runHook(), installing]);
  const installed = await installing;
  expect(installed).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/error|warning/i) });
  expect(await installer.log()).toContain('applied CustomResourceDefinition machines.machine.openshift.io');
  expect(installed.stdout).toContain('kubectl get machines -A');
  await kube.get(VALIDATING_ADMISSION_POLICIES, undefined, POLICY);
  const { items } = await kube.list<{ metadata: { name: string } }>(DEPLOYMENTS, { namespace: NAMESPACE });
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['millwright-watcher', 'millwright-worker']);
}, 120_000);

test('the accounts, roles and Job of the installation are gone when it is done', async () => {
  const hooks = (await renderChart(NAMESPACE)).filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']);
  expect(hooks.length).toBeGreaterThan(4);
  const left = await Promise.all(hooks.map((hook) => isThere(hook)));
  expect(left).not.toContain(true);
});

async function isThere({ apiVersion, kind, metadata }: Rendered): Promise<boolean> {
  const plural = kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind.toLowerCase()}s`;
  const resource: Resource = { apiVersion, kind, plural, namespaced: metadata.namespace !== undefined };
  try {
    await kube.get(resource, metadata.namespace, metadata.name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

test('worker and watcher, as their pods say and as an unprivileged user, run from a tree nobody may write to', async () => {
  [worker, watcher] = await Promise.all([start(await podOf('worker')), start(await podOf('watcher'))]);
  for (const pod of [worker, watcher]) {
    await pod.untilReady();
    expect((await pod.get('/healthz'))?.status).toBe(200);
    expect((await pod.get('/metrics'))?.status).toBe(200);
  }
  // A second one stands by, and is ready too: else no rollout of two would end.
  const standby = await start(await podOf('watcher'));
  await standby.untilReady();
  expect(await endOf(standby)).toBe('by itself');
}, 120_000);

test('a MachineSet of a class comes up, is scaled down and goes', async () => {
  const ns = MACHINES_NAMESPACE;
  await kube.create(SECRETS, ns, { metadata: { name: 'user-data' }, data: { userData: 'IyEvYmluL3NoCg==' } });
  await kube.create(CLUSTERS, ns, { metadata: { name: ns, namespace: ns }, spec: {}, ...typeOf(CLUSTERS) });
  const providerSpec = { instanceType: 'sim.small', userDataSecret: { name: 'user-data' } };
  await kube.create(MACHINE_CLASSES, ns, {
    ...typeOf(MACHINE_CLASSES),
    metadata: { name: 'small', namespace: ns },
    provider: 'simulated',
    providerSpec,
  });
  const fromClass = { providerSpec: { valueFrom: { machineClass: { name: 'small' } } } };
  await kube.create(MACHINE_SETS, ns, machineSetManifest(ns, 'set', { replicas: 2, spec: fromClass }));
  await untilRunning(2);
  await relabelNode();
  await kube.mergePatch(MACHINE_SETS, ns, 'set', { spec: { replicas: 1 } });
  await untilRunning(1);
  await kube.delete(MACHINE_CLASSES, ns, 'small');
  await kube.delete(MACHINE_SETS, ns, 'set');
  await untilRunning(0);
  const classes = () => kube.list(MACHINE_CLASSES, { namespace: ns });
  await until('the class is gone', classes, ({ items }) => items.length === 0);
}, 180_000);

test('a machine whose Node has not come goes: it is looked for among all Nodes', async () => {
  const ns = MACHINES_NAMESPACE;
  const instanceType = 'sim.pending-for-long';
  await behave(instanceType, { pendingMs: 600_000 });
  await kube.create(MACHINES, ns, machineManifest(ns, 'pending', { providerSpec: { instanceType } }));
  const look = () => unlessGone(kube.get<MachineObject>(MACHINES, ns, 'pending'));
  await until('it has an instance', look, (seen) => seen?.spec.providerID !== undefined);
  await kube.delete(MACHINES, ns, 'pending');
  await until('it is gone', look, (seen) => seen === undefined);
}, 120_000);

/** Changes a running Machine's wish for its Node, and waits until the Node is so. */
async function relabelNode(): Promise<void> {
  const [machine] = (await kube.list<MachineObject>(MACHINES, { namespace: MACHINES_NAMESPACE })).items;
  if (machine === undefined) throw new Error('no machine');
  const body = { spec: { metadata: { labels: { team: 'green' } } } };
  await kube.mergePatch(MACHINES, MACHINES_NAMESPACE, machine.metadata.name, body);
  const look = () => kube.get<Node>(NODES, undefined, machine.status?.nodeRef?.name ?? '');
  await until('its Node has the label', look, ({ metadata }) => metadata.labels?.['team'] === 'green');
}

const typeOf = ({ apiVersion, kind }: Resource) => ({ apiVersion, kind });

async function untilRunning(count: number): Promise<void> {
  const look = async () => (await kube.list<MachineObject>(MACHINES, { namespace: MACHINES_NAMESPACE })).items;
  await until(
    `${count} machines, all Running`,
    look,
    (seen) => seen.length === count && seen.every(({ status }) => status?.phase === 'Running'),
  );
}

/** What is allowed and does not come up above, and why it is allowed. */
const NO_PODS = 'asked where pods run on a Node that is drained, and none do here';
const NO_CHECK = 'asked where there is a health check, and there is none here';
const NO_DEPLOYMENT = 'asked where there is a MachineDeployment, whose sets it makes, and there is none here';
const NO_CONTROL_PLANE = 'asked where a machine of a control plane goes, and none does here';
const NOT_SEEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'millwright-worker': {
    'create pods/eviction': NO_PODS,
    'delete pods': NO_PODS,
    'get pods': NO_PODS,
    'get persistentvolumeclaims': NO_PODS,
    'get persistentvolumes': NO_PODS,
    'get daemonsets.apps': NO_PODS,
    'get deployments.apps': NO_PODS,
    'get replicasets.apps': NO_PODS,
    'list daemonsets.apps': NO_PODS,
    'list poddisruptionbudgets.policy': NO_PODS,
    'patch nodes/status': NO_PODS,
    'create leases.coordination.k8s.io': NO_CONTROL_PLANE,
    'get leases.coordination.k8s.io': NO_CONTROL_PLANE,
    'patch leases.coordination.k8s.io': NO_CONTROL_PLANE,
    'get configmaps': NO_CHECK,
    'get machinehealthchecks.healthchecking.openshift.io': NO_CHECK,
    'get machinehealthchecks.machine.openshift.io': NO_CHECK,
    'patch machinehealthchecks.healthchecking.openshift.io/status': NO_CHECK,
    'patch machinehealthchecks.machine.openshift.io/status': NO_CHECK,
    'create machinesets.machine.openshift.io': NO_DEPLOYMENT,
    'delete machinesets.machine.openshift.io': NO_DEPLOYMENT,
    'patch machinesets.machine.openshift.io': NO_DEPLOYMENT,
    'get machinedeployments.machine.openshift.io': NO_DEPLOYMENT,
    'patch machinedeployments.machine.openshift.io': NO_DEPLOYMENT,
    'patch machinedeployments.machine.openshift.io/status': NO_DEPLOYMENT,
    'set-provider-id machines.machine.openshift.io': 'asked by admission, not by a request',
    'update machinedeployments.machine.openshift.io/finalizers': 'asked by admission, not by a request',
    'update machinesets.machine.openshift.io/finalizers': 'asked by admission, not by a request',
  },
  'millwright-watcher': { 'list pods': NO_PODS, 'watch pods': NO_PODS },
  'millwright-install': {
    'create customresourcedefinitions.apiextensions.k8s.io': 'asked where a definition is applied that is not there',
    'create validatingadmissionpolicies.admissionregistration.k8s.io':
      'asked as well where one is applied: seen as patch',
    'create validatingadmissionpolicybindings.admissionregistration.k8s.io': 'asked as well where one is applied',
    'get machines.machine.openshift.io': 'asked where a policy is written that looks at them',
    'list machines.machine.openshift.io': 'asked where the binding of such a policy is written',
  },
};

test.each([
  ['worker', 'millwright-worker', () => worker],
  ['watcher', 'millwright-watcher', () => watcher],
  ['installer', 'millwright-install', () => installer],
])('the %s is refused nothing, and may do nothing that it does not do', async (_who, account, pod) => {
  const requests = pod().requests();
  expect(requests.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
  const use = permissionUse(
    await renderChart(NAMESPACE),
    account,
    requests.map(({ what }) => what),
  );
  expect(use).toEqual({ beyond: [], unused: Object.keys(NOT_SEEN[account] ?? {}).sort() });
});

test('worker and watcher end by themselves when they are told to', async () => {
  expect(await Promise.all([endOf(worker), endOf(watcher)])).toEqual(['by itself', 'by itself']);
}, 60_000);

test('helm upgrade changes the deployments, and helm uninstall leaves the definitions and their objects', async () => {
  await kube.create(MACHINE_SETS, MACHINES_NAMESPACE, machineSetManifest(MACHINES_NAMESPACE, 'left', { replicas: 0 }));
  const upgrade = ['upgrade', 'millwright', CHART, ...release, ...flags, '--set', 'worker.replicas=3', '--no-hooks'];
  expect(await helm(...upgrade)).toMatchObject({ code: 0 });
  const deployment = await kube.get<{ spec: { replicas: number } }>(DEPLOYMENTS, NAMESPACE, 'millwright-worker');
  expect(deployment.spec.replicas).toBe(3);
  expect(await helm('uninstall', 'millwright', ...release)).toMatchObject({ code: 0 });
  expect((await kube.list(DEPLOYMENTS, { namespace: NAMESPACE })).items).toEqual([]);
  await kube.get(CUSTOM_RESOURCE_DEFINITIONS, undefined, 'machines.machine.openshift.io');
  await kube.get(MACHINE_SETS, MACHINES_NAMESPACE, 'left');
  await kube.delete(MACHINE_SETS, MACHINES_NAMESPACE, 'left');
}, 60_000);
