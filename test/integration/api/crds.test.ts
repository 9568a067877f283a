import { beforeAll, describe, expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { rawRequest, readExample, tableOf, type Manifest } from './raw-request.ts';

const { kube, kubeconfig } = getStack();
// Of its own in each run, so that a kept stack can be used again.
const NAMESPACE = `api-crds-${Date.now()}`;

/** Creates an object that no worker touches. */
function create<T>(manifest: Manifest): Promise<T> {
  const resource = manifest.kind === 'Machine' ? MACHINES : MACHINE_SETS;
  const { metadata } = manifest;
  const annotations = { ...metadata.annotations, [PAUSED_ANNOTATION]: 'test' };
  return kube.create<T>(resource, NAMESPACE, { ...manifest, metadata: { ...metadata, annotations } });
}

async function createMachine(name: string): Promise<MachineObject> {
  const manifest = await readExample('machine', NAMESPACE);
  return create({ ...manifest, metadata: { ...manifest.metadata, name } });
}

function applyStatus(machine: MachineObject, status: object, fieldManager = 'test'): Promise<MachineObject> {
  const { name, uid } = machine.metadata;
  const body = { metadata: { uid }, status };
  return kube.apply(MACHINES, NAMESPACE, name, body, { fieldManager, subresource: 'status' });
}

beforeAll(async () => {
  await kube.apply(NAMESPACES, undefined, NAMESPACE, { metadata: { name: NAMESPACE } }, { fieldManager: 'test' });
});

describe('a MachineSet', () => {
  let created: MachineSetObject;

  beforeAll(async () => {
    const manifest = await readExample('machineset', NAMESPACE);
    const { replicas: _replicas, ...spec } = manifest.spec;
    created = await create({ ...manifest, spec });
  });

  test('has its defaults filled in', () => {
    expect(created.spec).toMatchObject({ replicas: 1, minReadySeconds: 0, deletePolicy: 'Random' });
  });

  test('is listed with the Machine API’s columns', async () => {
    const { columnDefinitions, rows } = await tableOf(kubeconfig, NAMESPACE, 'machinesets');
    expect(columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'Desired',
      'Current',
      'Ready',
      'Available',
      'Age',
    ]);
    expect(rows[0]?.cells.slice(0, 2)).toEqual([created.metadata.name, 1]);
  });

  test('is scaled by its subresource, which tells replicas and selector', async () => {
    const { name } = created.metadata;
    const body = { metadata: { uid: created.metadata.uid }, status: { replicas: 2, labelSelector: 'a=b' } };
    await kube.apply(MACHINE_SETS, NAMESPACE, name, body, { fieldManager: 'test', subresource: 'status' });
    const scale = await kube.mergePatch(
      MACHINE_SETS,
      NAMESPACE,
      name,
      { spec: { replicas: 5 } },
      { subresource: 'scale' },
    );
    expect(scale).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 2, selector: 'a=b' } });
    const stored = await kube.get<MachineSetObject>(MACHINE_SETS, NAMESPACE, name);
    expect(stored.spec.replicas).toBe(5);
    expect(stored.metadata.generation).toBe(2);
  });
});

describe('a Machine', () => {
  test('is listed with the Machine API’s columns, the last three in wide output only', async () => {
    const { metadata } = await createMachine('columns');
    const labels = Object.fromEntries(
      ['instance-type', 'region', 'zone'].map((name) => [`machine.openshift.io/${name}`, `the-${name}`]),
    );
    await kube.mergePatch(MACHINES, NAMESPACE, 'columns', { metadata: { labels }, spec: { providerID: 'p:///z/i-1' } });
    const { columnDefinitions } = await tableOf(kubeconfig, NAMESPACE, 'machines');
    const namesOf = (wide: boolean) =>
      columnDefinitions.filter(({ priority }) => priority > 0 === wide).map(({ name }) => name);
    expect(namesOf(false)).toEqual(['Name', 'Phase', 'Type', 'Region', 'Zone', 'Age']);
    expect(namesOf(true)).toEqual(['Node', 'ProviderID', 'State']);

    await applyStatus({ metadata } as MachineObject, {
      phase: 'Running',
      nodeRef: { kind: 'Node', name: 'node-1', uid: 'u' },
      providerStatus: { instanceId: 'i-1', instanceState: 'running' },
    });
    const { rows } = await tableOf(kubeconfig, NAMESPACE, 'machines');
    const cells = rows.find(({ cells: [name] }) => name === 'columns')?.cells ?? [];
    const [name, phase, type, region, zone, , node, providerID, state] = cells;
    expect([name, phase, type, region, zone]).toEqual([
      'columns',
      'Running',
      'the-instance-type',
      'the-region',
      'the-zone',
    ]);
    expect([node, providerID, state]).toEqual(['node-1', 'p:///z/i-1', 'running']);
  });

  test('keeps its status apart from its spec', async () => {
    const manifest = await readExample('machine', NAMESPACE);
    const machine = await create<MachineObject>({
      ...manifest,
      metadata: { ...manifest.metadata, name: 'apart' },
      status: { phase: 'Running' },
    });
    expect(machine.status).toBeUndefined();
    const { metadata } = await applyStatus(machine, { phase: 'Provisioning' });
    expect(metadata.generation).toBe(1);
  });

  test('keeps the conditions of every writer, by type', async () => {
    const machine = await createMachine('conditions');
    const condition = (type: string, status: string) => ({
      type,
      status,
      reason: 'Test',
      message: 'test',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    await applyStatus(
      machine,
      { conditions: [condition('InstanceExists', 'False'), condition('Paused', 'True')] },
      'millwright',
    );
    await applyStatus(machine, { conditions: [condition('example.com/Audited', 'True')] }, 'somebody');
    const { status } = await applyStatus(machine, { conditions: [condition('InstanceExists', 'True')] }, 'millwright');
    expect(status?.conditions?.map(({ type, status: value }) => [type, value]).sort()).toEqual([
      ['InstanceExists', 'True'],
      ['example.com/Audited', 'True'],
    ]);
  });

  test('keeps what it does not know within the instance’s spec, status and launch parameters', async () => {
    const machine = await createMachine('unknown');
    expect(machine.spec.providerSpec.value).toMatchObject({ instanceType: 'sim.medium', zone: 'zone-a' });
    const launch = {
      attempt: 1,
      token: 't1',
      preparedAt: '2026-01-01T00:00:00Z',
      specHash: 'h',
      idempotency: 'token',
      parameters: { zone: 'zone-a', request: { nested: { deeply: ['x'] } } },
    };
    const { status } = await applyStatus(machine, { providerStatus: { launch, rackUnit: 7 } });
    expect(status?.providerStatus).toEqual({ launch, rackUnit: 7 });
    const parameters = { zone: 'zone-a', request: {} };
    const replaced = await applyStatus(machine, { providerStatus: { launch: { ...launch, parameters } } }, 'another');
    expect(replaced.status?.providerStatus?.launch?.parameters).toEqual(parameters);
  });

  test('refuses a launch that goes back an attempt, goes on with another token, or takes a call up again', async () => {
    const machine = await createMachine('attempts');
    const frozen = { preparedAt: '2026-01-01T00:00:00Z', specHash: 'h', parameters: {}, idempotency: 'token' };
    const launch = (attempt: number, token: string, more: object = {}) =>
      applyStatus(machine, { providerStatus: { launch: { ...frozen, attempt, token, ...more } } });
    await launch(1, 't1');
    await launch(2, 't2');
    await expect(launch(1, 't1')).rejects.toThrow(/an attempt never goes back/);
    await expect(launch(2, 't1')).rejects.toThrow(/the token is frozen within an attempt/);
    const { status } = await launch(2, 't2', { callsGivenUp: 2 });
    expect(status?.providerStatus?.launch?.callsGivenUp).toBe(2);
    await expect(launch(2, 't2', { callsGivenUp: 1 })).rejects.toThrow(/stays given up/);
    await expect(launch(2, 't2')).rejects.toThrow(/stays given up/);
    await launch(3, 't3');
  });
});

test('kubectl explain has a text for the fields, with units and defaults', async () => {
  const { body } = await rawRequest(kubeconfig, '/openapi/v3/apis/machine.openshift.io/v1beta1');
  const { schemas } = (
    body as { components: { schemas: Record<string, { description?: string; properties?: object }> } }
  ).components;
  const machine = schemas['io.openshift.machine.v1beta1.Machine'];
  expect(machine?.description).toMatch(/^A Machine is one instance/);
  expect(machine?.properties).toMatchObject({
    spec: {
      properties: { creationTimeoutSeconds: { description: expect.stringMatching(/^Seconds .* 1200 \(20 minutes\)/) } },
    },
    status: { properties: { waiting: { description: expect.stringContaining('why is it not done yet') } } },
  });
});
