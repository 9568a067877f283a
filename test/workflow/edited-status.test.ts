import { describe, expect, it } from '@jest/globals';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { NODES } from '../../k8s/resources.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { isWrite, straight } from '../world/kubernetes/request.ts';
import { aNode, type StoredNode } from '../world/builders/a-node.ts';
import { MachineWorld } from '../world/machine-world.ts';
import { refused } from '../world/world-cloud.ts';
import { balancedMachine, looks, provisioned, runningMachine } from './machine-stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** As `kubectl patch --subresource status` does. */
const editStatus = ({ kube, ref }: MachineWorld, status: object) =>
  kube.others.mergePatch(MACHINES, ref.namespace, ref.name, { status }, { subresource: 'status' });

/** An instance that no Machine has, with its Node. */
async function controlPlane({ cloud, kube }: MachineWorld) {
  const { id, providerID } = await cloud.launch({ name: 'control-plane' });
  const node = aNode({ name: 'control-plane', providerID });
  kube.put(node);
  return { id, nodeRef: { kind: 'Node', name: 'control-plane', uid: node.metadata.uid } };
}

const nodeOf = ({ kube }: MachineWorld, name: string) => kube.peek(NODES, undefined, name) as StoredNode | undefined;

/** It is there, and nobody touched it. */
function expectUntouched(world: MachineWorld, id: string, name = 'control-plane'): void {
  expect(world.cloud.instance(id)?.state).toBe('running');
  expect(world.requests.filter((request) => request.name === name && isWrite(request))).toEqual([]);
}

async function waitsForCapacity(name: string) {
  const world = new MachineWorld(name, temporal.clock);
  world.cloud.behave({ capacity: 0 });
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.launches.length > 0 && world.status.waiting !== undefined);
  return { world, handle };
}

it('an instance that a status says has ended is asked to end all the same, where nobody saw its end', async () => {
  const { world, handle } = await runningMachine(temporal, 'said-to-have-ended');
  await editStatus(world, { providerStatus: { instanceState: 'terminated' } });
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.cloud.instance(world.instanceId)?.state).toBe('terminated');
});

describe('an instance that somebody writes into the status of a Machine that waits for capacity', () => {
  it('is looked at, and neither it nor its Node is touched, also when the Machine goes', async () => {
    const { world, handle } = await waitsForCapacity('edited');
    world.cloud.behave({ capacity: 10 });
    const { id } = await controlPlane(world);
    await editStatus(world, { providerStatus: { instanceId: id } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'InstanceOfAnother');
    expect(world.status.phase).not.toBe('Running');
    expectUntouched(world, id);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expectUntouched(world, id);
  });

  it('is forgotten when it is taken out again, and the launch goes on', async () => {
    const { world, handle } = await waitsForCapacity('mended');
    world.cloud.behave({ capacity: 10 });
    const { id } = await controlPlane(world);
    await editStatus(world, { providerStatus: { instanceId: id } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'InstanceOfAnother');
    await editStatus(world, { providerStatus: { instanceId: null, instanceState: null } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 700 });
    expect(world.status.instance?.id).toBe(world.instanceId);
    expectUntouched(world, id);
  });
});

describe('addresses that somebody writes into the status', () => {
  it('bring the Machine no Node', async () => {
    const { world, handle } = await provisioned(temporal, 'addressed');
    const addresses = [{ type: 'InternalIP', address: '10.9.9.9' }] as const;
    const creationTimestamp = new Date(world.clock.timeOfDay()).toISOString();
    const node = aNode({ name: 'stranger', metadata: { creationTimestamp } });
    const stranger: StoredNode = { ...node, status: { ...node.status, addresses } };
    world.kube.put(stranger);
    await editStatus(world, { addresses });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(2);
    expect(world.status.nodeRef).toBeUndefined();
    expectUntouched(world, world.instanceId, 'stranger');
  });

  it('are not what its load balancers are told', async () => {
    const addresses = [{ type: 'InternalIP', address: '10.9.9.9' }] as const;
    const { world, handle } = await balancedMachine(temporal, 'balanced-elsewhere', (w) => {
      w.cloud.onRequest = refused('register', new ProviderError('Throttled', 'too many requests'));
    });
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'False');
    await editStatus(world, { addresses });
    world.cloud.onRequest = straight;
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True', { within: 600, step: 5 });
    await editStatus(world, { addresses });
    const before = looks(world).length;
    const { addresses: own } = world.cloud.instance(world.instanceId) ?? {};
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.balancers.calls).toMatchObject([
      { action: 'register', addresses: own },
      { action: 'deregister', addresses: own },
    ]);
    expect(looks(world)).toHaveLength(before);
  });
});

describe('a workflow that took over', () => {
  it('looks once at the instance on record, and goes on', async () => {
    const { world } = await runningMachine(temporal, 'taken-over');
    await temporal.endAll();
    const before = looks(world).length;
    const handle = await temporal.startMachine(world);
    await temporal.until(() => looks(world).length > before);
    await temporal.pass(120);
    expect(looks(world)).toHaveLength(before + 1);
    expect(world.status).toMatchObject({ phase: 'Running', nodeRef: { name: 'node-of-taken-over' } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.nodes).toEqual([]);
  });

  it('finds out whose the Node is that joined meanwhile, where the Machine is being deleted', async () => {
    const { world } = await provisioned(temporal, 'joined-meanwhile');
    await temporal.endAll();
    world.nodeRegisters();
    await world.delete();
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.nodes).toEqual([]);
    expect(world.requests.some(({ resource, verb }) => resource === NODES && verb === 'apply')).toBe(true);
  });

  it('touches neither instance nor Node that an edited status names, and ends what the Machine launched', async () => {
    const { world } = await runningMachine(temporal, 'edited-end');
    await temporal.endAll();
    const { id, nodeRef } = await controlPlane(world);
    await editStatus(world, { nodeRef, providerStatus: { instanceId: id } });
    await world.delete();
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expectUntouched(world, id);
    expect(world.cloud.instance(world.instanceId)?.state).toBe('terminated');
  });

  it('waits for the cloud to tell whose instance it is before the Node is drained, and says so', async () => {
    const { world } = await runningMachine(temporal, 'silent-end');
    await temporal.endAll();
    await world.delete();
    world.cloud.fail({ action: 'describe', code: 'RequestLimitExceeded', times: 2 });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'Unavailable' || world.status.waiting !== undefined);
    expect(nodeOf(world, 'node-of-silent-end')?.spec?.unschedulable).toBeUndefined();
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.nodes).toEqual([]);
  });
});
