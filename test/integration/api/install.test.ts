import { APIS } from '../../../k8s/dialects/registry.ts';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type Stack } from '../../../devstack/stack/stack.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { KubeClient } from '../../../k8s/client.ts';
import { createKubeClient } from '../../../k8s/http-client.ts';
import { installInto } from '../../../k8s/install/install.ts';
import { readCrdManifests, readPolicyManifests } from '../../../k8s/install/manifests.ts';
import { resumeObjects } from '../../../k8s/install/resume.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { isNotFound, unlessGone } from '../../../k8s/kube-error.ts';
import { FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  type Resource,
} from '../../../k8s/resources.ts';
import { until } from '../until.ts';
import { readExample, refusalOf } from './raw-request.ts';

const NAMESPACE = 'default';
const MACHINES_CRD = 'machines.machine.openshift.io';
const MIN_SIZE = 'machine.openshift.io/cluster-api-autoscaler-node-group-min-size';

// An API server takes a policy into use when it gets round to it, which on a busy machine takes a while.
jest.setTimeout(120_000);

/** An API server of its own: what is tried here would pull the rug from under other tests. */
let stateDir: string;
let stack: Stack;
let kube: KubeClient;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'millwright-install-'));
  stack = await startStack({
    stateDir,
    withScheduler: false,
    withTemporal: false,
    withCloud: false,
    withInstall: false,
    auditLog: false,
  });
  kube = createKubeClient(loadKubeConfig({ kubeconfig: stack.kubeconfig }));
}, 300_000);

afterAll(async () => {
  await stack?.stop();
  await rm(stateDir, { recursive: true, force: true });
}, 60_000);

/** Deletes the definitions and policies, and waits until the definitions are gone. */
async function uninstall(): Promise<void> {
  const resourceOf = (kind: string): Resource =>
    kind === VALIDATING_ADMISSION_POLICIES.kind ? VALIDATING_ADMISSION_POLICIES : VALIDATING_ADMISSION_POLICY_BINDINGS;
  for (const { kind, metadata } of await readPolicyManifests(APIS)) {
    await kube.delete(resourceOf(kind), undefined, metadata.name);
  }
  for (const { metadata } of await readCrdManifests(APIS)) {
    await kube.delete(CUSTOM_RESOURCE_DEFINITIONS, undefined, metadata.name);
    let triedAt = Date.now();
    await until(
      `${metadata.name} is gone`,
      async () => {
        const isThere = await exists(CUSTOM_RESOURCE_DEFINITIONS, undefined, metadata.name);
        if (isThere && Date.now() - triedAt > TRIES_MS) {
          triedAt = Date.now();
          const body = { metadata: { annotations: { 'example.com/tried-at': String(triedAt) } } };
          await unlessGone(kube.mergePatch(CUSTOM_RESOURCE_DEFINITIONS, undefined, metadata.name, body, OTHERS));
        }
        return isThere;
      },
      (is) => !is,
    );
  }
}

const OTHERS = { fieldManager: 'test' };
/** An API server that is busy cleans up after a definition later and later, after minutes in the end; a change of it has it try at once. In milliseconds. */
const TRIES_MS = 10_000;

async function exists(resource: Resource, namespace: string | undefined, name: string): Promise<boolean> {
  try {
    await kube.get(resource, namespace, name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The group as another controller might have it: it takes any object. */
async function installForeignApi(): Promise<void> {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  for (const { kind, plural } of [MACHINES, MACHINE_SETS]) {
    const name = `${plural}.machine.openshift.io`;
    const version = {
      name: 'v1beta1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { ...anything, properties: { spec: anything, status: anything } } },
      subresources: { status: {} },
    };
    const spec = {
      group: 'machine.openshift.io',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [version],
    };
    await kube.apply(
      CUSTOM_RESOURCE_DEFINITIONS,
      undefined,
      name,
      { metadata: { name }, spec },
      { fieldManager: 'another-operator' },
    );
  }
  const served = () =>
    Promise.all(
      [MACHINES, MACHINE_SETS].map((resource) =>
        kube.list(resource).then(
          () => true,
          () => false,
        ),
      ),
    );
  await until('the foreign API is served', served, (is) => is.every(Boolean));
}

/** Objects that the foreign API took and ours would refuse: `bad` for their values, `odd` for their very types. */
async function storeBadObjects(): Promise<void> {
  const odd = { spec: { taints: 'none', metadata: [] }, status: { addresses: 7, conditions: { a: 'b' } } };
  const bad = {
    spec: {
      metadata: { labels: { 'a b': 'c d' } },
      creationTimeoutSeconds: -1,
      taints: [1, 2].map(() => ({ key: 'a', effect: 'Never' })),
    },
    status: { phase: 'Perplexed', conditions: [{ type: 'Strange' }] },
  };
  for (const [name, { spec, status }] of Object.entries({ odd, bad })) {
    const { apiVersion, kind } = MACHINES;
    await kube.create(MACHINES, NAMESPACE, { apiVersion, kind, metadata: { name, finalizers: [FINALIZER] }, spec });
    await kube.mergePatch(MACHINES, NAMESPACE, name, { status }, { subresource: 'status' });
  }
  await kube.create(MACHINE_SETS, NAMESPACE, {
    apiVersion: MACHINE_SETS.apiVersion,
    kind: MACHINE_SETS.kind,
    metadata: { name: 'bad', finalizers: [FINALIZER], annotations: { [MIN_SIZE]: 'many' } },
    spec: { replicas: 2, deletePolicy: 'Best', selector: {}, template: { spec: {} } },
  });
}

async function createExample(name: string, annotations: Record<string, string> = {}): Promise<void> {
  const manifest = await readExample('machine', NAMESPACE);
  await kube.create(MACHINES, NAMESPACE, { ...manifest, metadata: { ...manifest.metadata, name, annotations } });
}

async function pauseOf(resource: Resource, name: string): Promise<string | undefined> {
  const { metadata } = await kube.get<MachineObject>(resource, NAMESPACE, name);
  return metadata.annotations?.[PAUSED_ANNOTATION];
}

test('an empty cluster gets definitions that are served and policies that refuse; a second time changes nothing', async () => {
  expect(await installInto(kube)).toEqual({ tookOver: false, paused: 0 });
  const { items } = await kube.list<MachineObject>(MACHINES);
  expect(items).toEqual([]);
  const unlabelled = await readExample('machine', NAMESPACE);
  delete unlabelled.metadata.labels;
  await until(
    'the policy refuses',
    () => refusalOf(stack.kubeconfig, unlabelled),
    (refusal) => refusal !== undefined,
  );

  const versionOf = async () =>
    (await kube.get<MachineObject>(CUSTOM_RESOURCE_DEFINITIONS, undefined, MACHINES_CRD)).metadata.resourceVersion;
  const before = await versionOf();
  await installInto(kube);
  expect(await versionOf()).toBe(before);
});

describe('where another controller’s API is', () => {
  beforeAll(async () => {
    await uninstall();
    await installForeignApi();
    await storeBadObjects();
    await createExample('good');
    await createExample('held', { [PAUSED_ANNOTATION]: 'by hand' });
  }, 120_000);

  test('install refuses, says whose it is and what --take-over does, and changes nothing', async () => {
    await expect(installInto(kube)).rejects.toMatchObject({
      name: 'ForeignApiError',
      message: expect.stringMatching(
        /machinesets\.machine\.openshift\.io, written by another-operator[\s\S]*two instances per machine[\s\S]*--take-over/,
      ),
    });
    const { metadata } = await kube.get<MachineObject>(CUSTOM_RESOURCE_DEFINITIONS, undefined, MACHINES_CRD);
    expect(metadata.annotations ?? {}).toEqual({});
    expect(await pauseOf(MACHINES, 'good')).toBeUndefined();
  });

  test('--take-over refuses while a known controller runs', async () => {
    const labels = { app: 'controllers' };
    await kube.create(DEPLOYMENTS, NAMESPACE, {
      apiVersion: DEPLOYMENTS.apiVersion,
      kind: DEPLOYMENTS.kind,
      metadata: { name: 'machine-api-controllers' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'example.com/a' }] } },
      },
    });
    await expect(installInto(kube, { takeOver: true })).rejects.toThrow(/Deployment default\/machine-api-controllers/);
    expect(await pauseOf(MACHINES, 'good')).toBeUndefined();
    await kube.delete(DEPLOYMENTS, NAMESPACE, 'machine-api-controllers');
  });

  test('--take-over makes the API ours and leaves everything paused', async () => {
    // The controller that was deleted may still have pods.
    const result = await until(
      'no known controller runs',
      () => installInto(kube, { takeOver: true }).catch((error: unknown) => error),
      (answer) => !(answer instanceof Error && answer.name === 'ControllerRunningError'),
    );
    expect(result).toEqual({ tookOver: true, paused: 4 });
    expect(await pauseOf(MACHINES, 'good')).toBe('millwright-take-over');
    expect(await pauseOf(MACHINES, 'bad')).toBe('millwright-take-over');
    expect(await pauseOf(MACHINE_SETS, 'bad')).toBe('millwright-take-over');
    expect(await pauseOf(MACHINES, 'held')).toBe('by hand');
  });

  test('a stored bad Machine takes labels, finalizers and a status, and its bad fields can be mended', async () => {
    const metadata = { labels: { note: 'looked-at' }, finalizers: [FINALIZER, 'example.com/other'] };
    await kube.mergePatch(MACHINES, NAMESPACE, 'bad', { metadata });
    const status = { providerStatus: { instanceState: 'running' } };
    await kube.apply(
      MACHINES,
      NAMESPACE,
      'bad',
      { status },
      { fieldManager: 'millwright-machine', subresource: 'status' },
    );
    const spec = { metadata: { labels: { 'a b': null, a: 'b' } }, providerSpec: { value: { kind: 'A' } } };
    const mended = await kube.mergePatch<MachineObject>(MACHINES, NAMESPACE, 'bad', { spec });
    expect(mended.spec.metadata?.labels).toEqual({ a: 'b' });
    expect(mended.status?.providerStatus).toEqual({ instanceState: 'running' });
  });

  test('what was bad cannot be made bad in another way', async () => {
    // A policy's status tells that it was read, not that the API server has taken it up.
    let value = 0;
    const writeAnother = () => {
      const metadata = { annotations: { [MIN_SIZE]: `not ${(value += 1)}` } };
      return kube.mergePatch(MACHINE_SETS, NAMESPACE, 'bad', { metadata }).then(() => '', String);
    };
    expect(await until('the policy refuses', writeAnother, (refusal) => refusal !== '')).toMatch(
      /min-size is 'not \d+'/,
    );
    const spec = { deletePolicy: 'Good' };
    await expect(kube.mergePatch(MACHINE_SETS, NAMESPACE, 'bad', { spec })).rejects.toThrow(
      /Unsupported value: "Good"/,
    );
  });

  test('a stored bad object can be scaled and deleted', async () => {
    await kube.mergePatch(MACHINE_SETS, NAMESPACE, 'bad', { spec: { replicas: 0 } }, { subresource: 'scale' });
    for (const [resource, name] of [
      [MACHINES, 'bad'],
      [MACHINES, 'odd'],
      [MACHINE_SETS, 'bad'],
    ] as const) {
      await kube.delete(resource, NAMESPACE, name);
      const { metadata } = await kube.get<MachineObject>(resource, NAMESPACE, name);
      expect(metadata.deletionTimestamp).toBeDefined();
      await kube.mergePatch(resource, NAMESPACE, name, { metadata: { finalizers: null } });
      expect(await exists(resource, NAMESPACE, name)).toBe(false);
    }
  });

  test('resume takes off what the take-over paused, and a later install leaves it so', async () => {
    expect(await resumeObjects(kube)).toEqual({
      machine: 1,
      machineSet: 0,
      machineDeployment: 0,
      machineHealthCheck: 0,
    });
    expect(await installInto(kube)).toEqual({ tookOver: false, paused: 0 });
    expect(await pauseOf(MACHINES, 'good')).toBeUndefined();
    expect(await pauseOf(MACHINES, 'held')).toBe('by hand');
  });
});

/** These go by who writes, or what was there before, so that no dry run of ours shows it. */
const UNTRIED = ['machine-deletion-policy', 'machine-provider-id'].map((policy) =>
  expect.stringMatching(new RegExp(`${policy}.* is in force: .*does not show whether it is in force`)),
);

describe('where nobody writes the status of policies', () => {
  beforeAll(async () => {
    await uninstall();
    await stack.kill('kube-controller-manager');
  }, 60_000);

  test('install goes on as soon as the API server refuses by those that can be tried', async () => {
    const lines: string[] = [];
    await installInto(kube, { log: (line) => lines.push(line) });
    expect(lines.filter((line) => line.startsWith('warning')).sort()).toEqual(UNTRIED);
    const unlabelled = await readExample('machine', NAMESPACE);
    delete unlabelled.metadata.labels;
    expect(await refusalOf(stack.kubeconfig, unlabelled)).toContain('the label is missing');
  });

  test('install warns of a policy by which the API server does not refuse', async () => {
    const bindings = await readPolicyManifests(APIS);
    const name = bindings.find(({ kind }) => kind === VALIDATING_ADMISSION_POLICY_BINDINGS.kind)?.metadata.name ?? '';
    const lines: string[] = [];
    let spoiled: Promise<unknown> | undefined;
    const log = (line: string) => {
      lines.push(line);
      if (line !== `applied ${VALIDATING_ADMISSION_POLICY_BINDINGS.kind} ${name}`) return;
      const spec = { validationActions: ['Audit'] };
      spoiled = kube.mergePatch(VALIDATING_ADMISSION_POLICY_BINDINGS, undefined, name, { spec });
    };
    await installInto(kube, { log, timeoutMs: 12_000 });
    await spoiled;
    // The policies are tried side by side.
    expect(lines.filter((line) => line.startsWith('warning')).sort()).toEqual([
      expect.stringMatching(/machine-cluster-label.* is in force: .*would take a Machine that it must refuse/),
      ...UNTRIED,
    ]);
  });
});
