import { describe, expect, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { CLUSTER_LABEL } from '../k8s/model/labels.ts';
import { resourcePath, type Resource } from '../k8s/resources.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { systemClock } from '../providers/clock.ts';
import { createSimulatedProvider } from '../providers/simulated/simulated-provider.ts';
import { completeMachine, listMachines } from './read-machines.ts';

const providers = createProviderRegistry([
  createSimulatedProvider({ clock: systemClock, endpoint: 'http://127.0.0.1:1' }),
]);
const API = 'machine.openshift.io/v1beta1';

function stored(kind: string, name: string, parts: object = {}) {
  const labels: Record<string, string> = { [CLUSTER_LABEL]: 'example' };
  return { apiVersion: API, kind, metadata: { name, namespace: 'ns', uid: name, generation: 1, labels }, ...parts };
}

const MACHINE = stored('Machine', 'm', { spec: { providerSpec: { valueFrom: { machineClass: { name: 'medium' } } } } });
const CLASS = stored('MachineClass', 'medium', { provider: 'simulated', providerSpec: { instanceType: 't' } });
const CLUSTER = stored('Cluster', 'example', { spec: { defaults: { region: 'r' } } });

/** Kubernetes with these objects, in which reads of some resources fail with a status. */
function depsWith(objects: readonly ReturnType<typeof stored>[], failing: Readonly<Record<string, number>> = {}) {
  const answer = <T>(verb: string, resource: Resource, found: T): T => {
    const status = failing[resource.plural];
    if (status !== undefined) throw new KubeError(status, 'No', `${verb} ${resourcePath(resource)}: ${status}`);
    return found;
  };
  const kube = {
    get: async (resource: Resource, _namespace: string, name: string) => {
      const found = objects.find(({ kind, metadata }) => kind === resource.kind && metadata.name === name);
      if (found === undefined) throw new KubeError(404, 'NotFound', `no ${name}`);
      return answer('GET', resource, found);
    },
    list: async (resource: Resource) =>
      answer('GET', resource, { items: objects.filter(({ kind }) => kind === resource.kind), resourceVersion: '' }),
  } as unknown as KubeClient;
  return { kube, providers };
}

describe('a Machine that is completed', () => {
  test('has what its class and its Cluster say', async () => {
    const { machine, spec } = await completeMachine(depsWith([CLASS, CLUSTER]), MACHINE);
    expect(spec.providerSpec).toMatchObject({ instanceType: 't', region: 'r' });
    expect(machine.paused).toBe(false);
  });

  test('tells that its class may not be read, and which permission it takes', async () => {
    const deps = depsWith([CLASS, CLUSTER], { machineclasses: 403 });
    const { machine, spec } = await completeMachine(deps, MACHINE);
    expect(machine.paused).toBe(false);
    expect(spec.problem?.reason).toBe('KubernetesRefused');
    expect(spec.problem?.message).toMatch(
      /^MachineClass ns\/medium: .* get machineclasses\.machine\.openshift\.io.*403/,
    );
  });

  test('counts as paused where its Cluster may not be read, and tells why', async () => {
    const { machine } = await completeMachine(depsWith([CLASS, CLUSTER], { clusters: 403 }), MACHINE);
    expect(machine.paused).toBe(true);
    expect(machine.pausedBy).toMatch(/^Cluster ns\/example \(.* get clusters\.machine\.openshift\.io.*403\)$/);
  });

  test.each([500, 429, 404, 0])('is read again where a read failed for another reason (%s)', async (status) => {
    await expect(completeMachine(depsWith([CLASS, CLUSTER], { clusters: status }), MACHINE)).rejects.toMatchObject({
      status,
    });
  });
});

describe('a list of all Machines', () => {
  test('is not held up by lists that are refused: it tells which', async () => {
    const refusals: string[] = [];
    const deps = depsWith([MACHINE, CLASS, CLUSTER], { clusters: 403, machineclasses: 403 });
    const machines = await listMachines(deps, (refusal) => refusals.push(refusal));
    expect(machines.map(({ machine }) => machine.paused)).toEqual([false]);
    expect(new Set(refusals.map((refusal) => refusal.split(':')[0]))).toEqual(new Set(['clusters', 'machineclasses']));
    expect(await listMachines(deps)).toHaveLength(1);
  });

  test('has every Machine, whatever the class or the Cluster of one is like', async () => {
    const broken = [
      stored('MachineClass', 'medium', { provider: null, secretRef: null, status: { conditions: 'x' } }),
      stored('Cluster', 'example', { spec: { defaults: { tags: [null] } } }),
    ];
    const other = { ...MACHINE, metadata: { ...MACHINE.metadata, name: 'other', labels: {} } };
    const read = await listMachines(depsWith([MACHINE, other, ...broken]));
    expect(read.map(({ machine, spec }) => [machine.ref.name, machine.paused, spec.problem?.reason])).toEqual([
      ['m', true, 'MachineClassInvalid'],
      ['other', false, 'MachineClassInvalid'],
    ]);
  });
});
