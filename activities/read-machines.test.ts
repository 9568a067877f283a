import { openshift } from '../k8s/dialects/openshift/api.ts';
import { APIS } from '../k8s/dialects/registry.ts';
import { describe, expect, test } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { resourcePath } from '../k8s/resources.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { systemClock } from '../providers/clock.ts';
import { createSimulatedProvider } from '../providers/simulated/simulated-provider.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { aMachineClass } from '../test/world/builders/a-machine-class.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { ApiServer } from '../test/world/kubernetes/api-server.ts';
import type { GivenObject } from '../test/world/kubernetes/registry.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { completeMachine, createSharedRead, listMachines } from './read-machines.ts';

const providers = createProviderRegistry([
  createSimulatedProvider({ clock: systemClock, endpoint: 'http://127.0.0.1:1' }),
]);
const PLACE = { namespace: 'ns' };
const MACHINE = aMachine({ ...PLACE, cluster: 'example', machineClass: 'medium' });
const CLASS = aMachineClass({ metadata: PLACE, providerSpec: { instanceType: 't' } });
const CLUSTER = aCluster({ name: 'example', metadata: PLACE, defaults: { region: 'r' } });

/** Kubernetes with these objects, in which reads of some resources fail with a status. */
function depsWith(objects: readonly GivenObject[], failing: Readonly<Record<string, number>> = {}) {
  const server = new ApiServer();
  server.put(...objects);
  server.onRequest = before({}, ({ resource }) => {
    const status = failing[resource.plural];
    if (status !== undefined) throw new KubeError(status, 'No', `GET ${resourcePath(resource)}: ${status}`);
  });
  const kube = server.client;
  return { kube, apis: APIS, providers, readSource: createSharedRead(kube, systemClock) };
}

const complete = (deps: Parameters<typeof completeMachine>[0]) =>
  completeMachine(deps, openshift, openshift.machine.read(MACHINE));

describe('a Machine that is completed', () => {
  test('has what its class and its Cluster say', async () => {
    const { machine, spec } = await complete(depsWith([CLASS, CLUSTER]));
    expect(spec.providerSpec).toMatchObject({ instanceType: 't', region: 'r' });
    expect(machine.paused).toBe(false);
  });

  test('tells that its class may not be read, and which permission it takes', async () => {
    const deps = depsWith([CLASS, CLUSTER], { machineclasses: 403 });
    const { machine, spec } = await complete(deps);
    expect(machine.paused).toBe(false);
    expect(spec.problem?.reason).toBe('KubernetesRefused');
    expect(spec.problem?.message).toMatch(
      /^MachineClass ns\/medium: .* get machineclasses\.machine\.openshift\.io.*403/,
    );
  });

  test('counts as paused where its Cluster may not be read, and tells why', async () => {
    const { machine } = await complete(depsWith([CLASS, CLUSTER], { clusters: 403 }));
    expect(machine.paused).toBe(true);
    expect(machine.pausedBy).toMatch(/^Cluster ns\/example \(.* get clusters\.machine\.openshift\.io.*403\)$/);
  });

  test.each([500, 429, 404, 0])('is read again where a read failed for another reason (%s)', async (status) => {
    await expect(complete(depsWith([CLASS, CLUSTER], { clusters: status }))).rejects.toMatchObject({
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
      spoiled(CLASS, { provider: null, secretRef: null, status: { conditions: 'x' } }),
      spoiled(CLUSTER, { spec: { defaults: { tags: [null] } } }),
    ];
    const other = aMachine({ ...PLACE, name: 'other', machineClass: 'medium', metadata: { labels: {} } });
    const read = await listMachines(depsWith([MACHINE, other, ...broken]));
    expect(read.map(({ machine, spec }) => [machine.ref.name, machine.paused, spec.problem?.reason])).toEqual([
      ['m', true, 'MachineClassInvalid'],
      ['other', false, 'MachineClassInvalid'],
    ]);
  });
});
