import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { MACHINE_SETS } from '../k8s/dialects/openshift/resources.ts';
import { aMachineClass } from '../test/world/builders/a-machine-class.ts';
import { NAMESPACE } from '../test/world/builders/metadata.ts';
import { RolloutWorld } from '../test/world/rollout-world.ts';
import { SetWorld } from '../test/world/set-world.ts';
import type { Temporal } from '../test/workflow/temporal.ts';
import { useTemporal } from '../test/workflow/use-temporal.ts';
import { changedSignal } from './signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const SIZE = 'machine.openshift.io/cluster-api-autoscaler-node-group-';
const SIZED = { [`${SIZE}min-size`]: '0', [`${SIZE}max-size`]: '5' };
const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io/';

/** Those of capacity, by their last word. */
const told = (annotations: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(annotations)
      .filter(([key]) => key.startsWith(CAPACITY))
      .map(([key, value]) => [key.slice(CAPACITY.length), value]),
  );
const toldBy = (world: SetWorld) => told(world.set?.metadata.annotations);

describe('a set that cluster-autoscaler sizes', () => {
  it('says what its Nodes will be like, leaves what somebody else says, and follows its template', async () => {
    const world = new SetWorld(temporal.clock, { replicas: 0, metadata: { annotations: SIZED } });
    const handle = await temporal.startObject('machineSet', world, world.ref);
    await temporal.until(() => toldBy(world)['cpu'] !== undefined);
    expect(toldBy(world)).toMatchObject({ cpu: '3920m', memory: '13621Mi', 'ephemeral-disk': '100Gi' });
    expect(toldBy(world)['labels']).toContain('node.kubernetes.io/instance-type=sim.small');

    const own = { [`${CAPACITY}cpu`]: '2', [`${CAPACITY}maxPods`]: '20' };
    await world.kube.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { metadata: { annotations: own } });
    const providerSpec = { value: { instanceType: 'sim.large' } };
    const spec = { template: { spec: { providerSpec, metadata: { labels: { 'example.com/pool': 'p' } } } } };
    await world.kube.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { spec });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => toldBy(world)['labels']?.includes('instance-type=sim.large') === true);
    expect(toldBy(world)).toMatchObject({ cpu: '2', memory: '13621Mi', maxPods: '20' });
    expect(toldBy(world)['labels']).toContain('example.com/pool=p');

    // What somebody takes off again is filled in.
    const none = { [`${CAPACITY}cpu`]: null };
    await world.kube.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { metadata: { annotations: none } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => toldBy(world)['cpu'] === '3920m');
  });

  it('goes by its MachineClass before the cloud', async () => {
    const machineClass = aMachineClass({
      name: 'big',
      nodeTemplate: { capacity: { cpu: 64, memory: '200Gi' }, zone: 'zone-b' },
    });
    const providerSpec = { valueFrom: { machineClass: { name: 'big' } } };
    const world = new SetWorld(temporal.clock, { replicas: 0, metadata: { annotations: SIZED } });
    world.kube.put({ ...machineClass });
    const { template } = world.set?.spec ?? {};
    world.change({ template: { ...template, spec: { providerSpec } } });
    await temporal.startObject('machineSet', world, world.ref);
    await temporal.until(() => toldBy(world)['cpu'] === '64');
    expect(toldBy(world)).toMatchObject({ memory: '200Gi', 'ephemeral-disk': '100Gi' });
    expect(toldBy(world)['labels']).toContain('topology.kubernetes.io/zone=zone-b');
  });

  it('says once that nobody can tell, tries again, and asks nothing where nobody sizes it', async () => {
    const world = new SetWorld(temporal.clock, { replicas: 0 });
    const handle = await temporal.startObject('machineSet', world, world.ref);
    await temporal.pass(5);
    expect(toldBy(world)).toEqual({});
    world.cloud.fail({ action: 'catalog', code: 'UnauthorizedOperation', times: 3 });
    await world.kube.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { metadata: { annotations: SIZED } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.events.some(({ reason }) => reason === 'CapacityUnknown'));
    await temporal.until(() => toldBy(world)['cpu'] === '3920m', { within: 600, step: 10 });
    expect(world.events.filter(({ reason }) => reason === 'CapacityUnknown')).toHaveLength(1);
  });

  it('is no trouble where somebody writes it in that very moment: it is told soon', async () => {
    const world = new SetWorld(temporal.clock, { replicas: 0, metadata: { annotations: SIZED } });
    let tries = 0;
    world.onRequest = async ({ verb, subresource }, carryOut) => {
      if (verb !== 'apply' || subresource !== undefined) return carryOut();
      tries += 1;
      if (tries === 1) throw new KubeError(409, 'Conflict', 'another version');
      return carryOut();
    };
    await temporal.startObject('machineSet', world, world.ref);
    await temporal.until(() => toldBy(world)['cpu'] === '3920m', { within: 60 });
    expect([tries, world.events]).toEqual([2, []]);
  });
});

describe('a deployment that cluster-autoscaler sizes', () => {
  it('says what its Nodes will be like, and its sets do not', async () => {
    const world = new RolloutWorld(temporal.clock, { metadata: { annotations: SIZED }, spec: { replicas: 0 } });
    await temporal.startObject('machineDeployment', world, world.ref);
    await temporal.until(() => told(world.deployment?.metadata.annotations)['cpu'] === '3920m');
    expect(world.sets).toHaveLength(1);
    expect(told(world.sets[0]?.metadata.annotations)).toEqual({});
  });
});
