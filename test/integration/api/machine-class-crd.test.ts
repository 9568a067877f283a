import { APIS } from '../../../k8s/dialects/registry.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { parseAllDocuments } from 'yaml';
import { CLUSTERS, MACHINE_CLASSES, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES, type Resource } from '../../../k8s/resources.ts';
import { createHoldMachineClass } from '../../../activities/hold-machine-class.ts';
import { createMachineClassActivities } from '../../../activities/machine-classes.ts';
import { createKubeClient } from '../../../k8s/http-client.ts';
import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import { refOf, type StoredObject } from '../../../k8s/dialects/kind.ts';
import { isNotFound } from '../../../k8s/kube-error.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { systemClock } from '../../../providers/clock.ts';
import { createProviderRegistry } from '../../../providers/registry.ts';
import { classReportOf } from '../../../workflows/machine-class/class-status.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../../workflows/machine/settings.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { rawRequest, readExample, tableOf } from './raw-request.ts';

const { kube, kubeconfig, workerKubeconfig } = getStack();
// Of its own in each run, so that a kept stack can be used again.
const NAMESPACE = `api-classes-${Date.now()}`;
const LABELS = { 'machine.openshift.io/cluster-api-cluster': 'c' };
const VALUE = { kind: 'SimulatedMachineProviderConfig' };

/** Kinds by what the cases call them. */
const KINDS: Readonly<Record<string, Resource>> = {
  class: MACHINE_CLASSES,
  cluster: CLUSTERS,
  machine: MACHINES,
  set: MACHINE_SETS,
};

/** An object that is right but for what a case adds to it; `name` is its name. */
function objectOf(kind: string, { name = 'a', ...parts }: Record<string, unknown> & { name?: string }): object {
  const resource = KINDS[kind] ?? MACHINES;
  const template = { metadata: { labels: LABELS }, spec: { providerSpec: { value: VALUE } } };
  const right = {
    class: { provider: 'simulated', providerSpec: {} },
    cluster: { spec: {} },
    machine: { spec: { providerSpec: { value: VALUE } } },
    set: { spec: { selector: { matchLabels: LABELS }, template } },
  }[kind];
  return {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    metadata: { name, namespace: NAMESPACE, labels: LABELS },
    ...right,
    ...parts,
  };
}

/** What `kubectl create --dry-run=server` would answer: undefined where it accepts, else its words. */
async function refusalOf(kind: string, object: object): Promise<string | undefined> {
  const { apiVersion, plural } = KINDS[kind] ?? MACHINES;
  const path = `/apis/${apiVersion}/namespaces/${NAMESPACE}/${plural}?dryRun=All&fieldValidation=Strict`;
  const { status, body } = await rawRequest(kubeconfig, path, { method: 'POST', body: object });
  return status < 300 ? undefined : (body as { message: string }).message;
}

const bySpec = (providerSpec: unknown) => ({ spec: { providerSpec } });
const templated = (providerSpec: unknown) => ({
  spec: { selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: { providerSpec } } },
});
const elsewhere = { name: 's', namespace: 'kube-system' };

type Case = readonly [kind: string, what: string, parts: Record<string, unknown>, refusal: RegExp | undefined];
const CASES: readonly Case[] = [
  ['class', 'with all that it needs', {}, undefined],
  ['class', 'with fields of its cloud', { providerSpec: { kind: 'X', anything: [{ deep: 1 }] } }, undefined],
  ['class', 'without a provider', { provider: undefined }, /provider: Required value/],
  ['class', 'without a providerSpec', { providerSpec: undefined }, /providerSpec: Required value/],
  ['class', 'with a providerSpec that is a text', { providerSpec: 'x' }, /providerSpec.*must be of type object/],
  [
    'class',
    'with quantities',
    { nodeTemplate: { capacity: { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': '1' } } },
    undefined,
  ],
  ['class', 'with what is no quantity', { nodeTemplate: { capacity: { memory: '16 gigs' } } }, /capacity\.memory/],
  ['class', 'with a misspelt field', { providerspec: {} }, /unknown field "providerspec"/],
  ['class', 'with a Secret of its namespace', { secretRef: { name: 's', namespace: NAMESPACE } }, undefined],
  ['class', 'with a Secret of another namespace', { secretRef: elsewhere }, /secretRef\.namespace is 'kube-system'/],
  [
    'class',
    'with credentials of another namespace',
    { credentialsSecretRef: elsewhere },
    /credentialsSecretRef\.namespace is 'kube-system': write a Secret of the class's own namespace/,
  ],
  ['cluster', 'without anything', { spec: undefined }, undefined],
  ['cluster', 'with defaults', { spec: { paused: true, defaults: { tags: [{ name: 'a', value: '' }] } } }, undefined],
  [
    'cluster',
    'with one tag twice',
    { spec: { defaults: { tags: [1, 2].map((n) => ({ name: 'a', value: `${n}` })) } } },
    /tags\[1\]: Duplicate value/,
  ],
  [
    'cluster',
    'with a name that no label can carry',
    { name: 'c'.repeat(64) },
    /metadata\.name is too long: at most 63 characters/,
  ],
  ['machine', 'that refers to a class', bySpec({ valueFrom: { machineClass: { name: 'a' } } }), undefined],
  [
    'machine',
    'that says neither',
    bySpec({}),
    /spec\.providerSpec\.value: Required value: write value, or valueFrom\.machineClass\.name/,
  ],
  [
    'machine',
    'that says both',
    bySpec({ value: VALUE, valueFrom: { machineClass: { name: 'a' } } }),
    /spec\.providerSpec\.valueFrom: Forbidden: value is there too/,
  ],
  ['machine', 'that refers to nothing', bySpec({ valueFrom: {} }), /valueFrom\.machineClass: Required value/],
  ['machine', 'with a value that is a text', bySpec({ value: 'x' }), /value.*must be of type object/],
  ['machine', 'with a name of 63 characters', { name: 'm'.repeat(63) }, undefined],
  [
    'machine',
    'with a name that no label can carry',
    { name: 'm'.repeat(64) },
    /metadata\.name is too long: at most 63 characters/,
  ],
  [
    'machine',
    'with a providerID that is none',
    { spec: { providerSpec: { value: VALUE }, providerID: 'i-0abc' } },
    /spec\.providerID: .*it is not the id of an instance as a Node carries it: write <cloud>:\/\//,
  ],
  [
    'machine',
    'with a providerID',
    { spec: { providerSpec: { value: VALUE }, providerID: 'aws:///eu-central-1a/i-0abc' } },
    undefined,
  ],
  ['set', 'whose template refers to a class', templated({ valueFrom: { machineClass: { name: 'a' } } }), undefined],
  ['set', 'whose template says neither', templated({}), /template\.spec\.providerSpec\.value: Required value/],
  ['set', 'with a name of 56 characters', { name: 's'.repeat(56) }, undefined],
  [
    'set',
    'with a name that leaves its Machines none',
    { name: 's'.repeat(57) },
    /metadata\.name is too long: at most 56 characters/,
  ],
];

beforeAll(async () => {
  await kube.apply(NAMESPACES, undefined, NAMESPACE, { metadata: { name: NAMESPACE } }, { fieldManager: 'test' });
  // A policy's status tells that it was read, not that every API server has taken it up.
  await until(
    'policies are in force',
    () => refusalOf('class', objectOf('class', { secretRef: elsewhere })),
    (refusal) => refusal !== undefined,
  );
});

test.each(CASES)('a %s %s', async (kind, _what, parts, refusal) => {
  const answer = await refusalOf(kind, objectOf(kind, parts));
  if (refusal === undefined) expect(answer).toBeUndefined();
  else expect(answer).toMatch(refusal);
});

test('the example is accepted as it is', async () => {
  const text = await readFile(new URL('../../../examples/machineclass.yaml', import.meta.url), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const { metadata, ...rest } = document.toJS() as { kind: string; metadata: object };
    const kind = Object.keys(KINDS).find((name) => KINDS[name]?.kind === rest.kind) ?? '';
    expect(await refusalOf(kind, { ...rest, metadata: { ...metadata, namespace: NAMESPACE } })).toBeUndefined();
  }
});

describe('a MachineClass', () => {
  test('counts changes of what it says in its generation, and lists what it is of', async () => {
    const name = 'listed';
    const body = objectOf('class', { name, nodeTemplate: { instanceType: 't', region: 'r', zone: 'z' } });
    await kube.create(MACHINE_CLASSES, NAMESPACE, body);
    const { columnDefinitions, rows } = await tableOf(kubeconfig, NAMESPACE, 'machineclasses');
    const shown = columnDefinitions.filter(({ priority }) => priority === 0).map((column) => column.name);
    expect(shown).toEqual(['Name', 'Provider', 'Type', 'Region', 'Zone', 'Ready', 'Machines', 'Age']);
    const row = rows.find(({ cells }) => cells[0] === name);
    expect(row?.cells.slice(0, 5)).toEqual([name, 'simulated', 't', 'r', 'z']);
    const patched = await kube.mergePatch(MACHINE_CLASSES, NAMESPACE, name, { providerSpec: { zone: 'zone-b' } });
    expect(patched).toMatchObject({ metadata: { generation: 2 } });
  });
});

describe('a MachineClass that a machine was launched from', () => {
  // With the worker's permissions, and nothing more.
  const worker = createKubeClient(loadKubeConfig({ kubeconfig: workerKubeconfig }));
  const hold = createHoldMachineClass({ kube: worker, apis: APIS });
  const activities = createMachineClassActivities({
    kube: worker,
    apis: APIS,
    providers: createProviderRegistry([]),
    settings: DEFAULT_MACHINE_SETTINGS,
    clusterUid: 'c',
    clusterNames: [],
    leaseNamespace: 'kube-system',
    events: { record: async () => {}, insist: async () => {} },
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  const name = 'held';
  const MESSAGE = 'it is deleted when nothing refers to it any more: 1 Machine (user)';
  const specOf = (stored: StoredObject) => {
    const { machineClass } = openshift.machineClass.read(stored);
    return {
      providerSpec: {},
      fields: openshift.machine,
      nodeLabels: {},
      nodeAnnotations: {},
      nodeTaints: [],
      startupTaints: [],
      machineClass,
    };
  };
  const read = () => worker.get<StoredObject & { status?: object }>(MACHINE_CLASSES, NAMESPACE, name);

  test('stays while a Machine refers to it, says so, and goes after it', async () => {
    const unheld = await kube.create<StoredObject>(MACHINE_CLASSES, NAMESPACE, objectOf('class', { name }));
    const user = objectOf('machine', { name: 'user', ...bySpec({ valueFrom: { machineClass: { name } } }) });
    const annotations = { 'cluster.x-k8s.io/paused': 'test' };
    const metadata = { name: 'user', namespace: NAMESPACE, labels: LABELS, annotations };
    await kube.create(MACHINES, NAMESPACE, { ...user, metadata });

    const target = { ref: refOf(unheld), clusterUid: 'c' };
    expect(await hold(specOf(unheld))).toBeUndefined();
    const held = await read();
    expect(specOf(held).machineClass.hasFinalizer).toBe(true);
    expect(await hold(specOf(held))).toBeUndefined();
    expect((await read()).metadata).toEqual(held.metadata);

    await kube.delete(MACHINE_CLASSES, NAMESPACE, name);
    expect(await hold(specOf(await read()))).toMatchObject({ reason: 'MachineClassDeleting' });
    const look = await activities.lookAtMachineClass(target);
    const report = look.found ? classReportOf(look, Date.now()) : undefined;
    if (report === undefined) throw new Error('there is nothing to say');
    await activities.writeMachineClassStatus({ ...target, ...report });
    const conditions = expect.arrayContaining([
      expect.objectContaining({ type: 'InUse', message: MESSAGE }),
    ]) as unknown;
    expect((await read()).status).toMatchObject({ machines: 1, conditions });

    await kube.delete(MACHINES, NAMESPACE, 'user');
    await activities.releaseMachineClass(target);
    const gone: unknown = await read().catch((error: unknown) => error);
    expect(isNotFound(gone)).toBe(true);
  });

  test('that was deleted, or made anew, since it was read is looked at again', async () => {
    const held = { ...objectOf('class', { name: 'going' }) } as { metadata: object };
    const stale = await kube.create<StoredObject>(MACHINE_CLASSES, NAMESPACE, {
      ...held,
      metadata: { ...held.metadata, finalizers: ['example.com/other'] },
    });
    await kube.delete(MACHINE_CLASSES, NAMESPACE, 'going');
    await expect(hold(specOf(stale))).rejects.toMatchObject({ type: 'ObjectChanged' });
    await kube.mergePatch(MACHINE_CLASSES, NAMESPACE, 'going', { metadata: { finalizers: null } });
    await expect(hold(specOf(stale))).rejects.toMatchObject({ type: 'ObjectChanged' });
    await kube.create(MACHINE_CLASSES, NAMESPACE, objectOf('class', { name: 'going' }));
    await expect(hold(specOf(stale))).rejects.toMatchObject({ type: 'ObjectChanged' });
  });
});

describe('permissions', () => {
  const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

  test.each<[string, string, string, boolean]>([
    ['worker', 'patch', 'machineclasses', true],
    ['worker', 'patch', 'machineclasses/status', true],
    ['worker', 'list', 'machineclasses', true],
    ['worker', 'get', 'clusters', true],
    ['worker', 'delete', 'machineclasses', false],
    ['worker', 'create', 'machineclasses', false],
    ['worker', 'patch', 'clusters', false],
    ['watcher', 'watch', 'machineclasses', true],
    ['watcher', 'watch', 'clusters', true],
    ['watcher', 'patch', 'machineclasses', false],
  ])('of the %s to %s %s: %s', async (role, verb, kind, isAllowed) => {
    const [resource, subresource] = kind.split('/');
    const resourceAttributes = { verb, group: 'machine.openshift.io', resource, subresource };
    const spec = { user: `millwright-${role}`, resourceAttributes };
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const answer = await rawRequest(kubeconfig, REVIEWS, { method: 'POST', body });
    expect((answer.body as { status: { allowed: boolean } }).status.allowed).toBe(isAllowed);
  });
});

test('the example of a Machine can be turned from a value to a class and back', async () => {
  const manifest = await readExample('machine', NAMESPACE);
  const { name } = manifest.metadata;
  const annotations = { 'cluster.x-k8s.io/paused': 'test' };
  await kube.create(MACHINES, NAMESPACE, { ...manifest, metadata: { ...manifest.metadata, annotations } });
  const toClass = { spec: { providerSpec: { value: null, valueFrom: { machineClass: { name: 'a' } } } } };
  expect(await kube.mergePatch(MACHINES, NAMESPACE, name, toClass)).toMatchObject({
    spec: { providerSpec: { valueFrom: { machineClass: { name: 'a' } } } },
  });
  await kube.mergePatch(MACHINES, NAMESPACE, name, { spec: { providerSpec: { value: VALUE, valueFrom: null } } });
});
