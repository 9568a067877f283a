import { describe, expect, it } from '@jest/globals';
import { MACHINE_ROLE_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { writeCause } from '../../../k8s/model/cause.ts';
import { OUT_OF_TURN_ANNOTATION } from '../../../k8s/model/control-plane.ts';
import { LEASES, NODES } from '../../../k8s/resources.ts';
import { nodeOf } from '../../../test/workflow/drained-machine.ts';
import { eventsOf, provisioned, runningMachine, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const MASTER = { [MACHINE_ROLE_LABEL]: 'master' };
const labels = { 'node-role.kubernetes.io/control-plane': '' };
const others = (world: MachineWorld, ...ready: ('True' | 'False')[]) =>
  ready.forEach((one, index) => world.kube.put(aNode({ name: `other-${index}`, ready: one, metadata: { labels } })));

/** One whose Node says that it is of a control plane. */
async function member(name: string) {
  const { world, handle } = await runningMachine(temporal, name);
  await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { metadata: { labels } });
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.isControlPlane === true);
  return { world, handle };
}

const forced = (world: MachineWorld) => writeCause('ada, in a hurry', world.clock.timeOfDay());

const isThere = (world: MachineWorld) => world.kube.peek(MACHINES, 'default', world.ref.name) !== undefined;
const isWaiting = (world: MachineWorld) => world.status.waiting?.reason === 'ControlPlaneInTheWay';

describe('a machine of a control plane', () => {
  it('goes when enough of the others are Ready, and says what it waits for until then', async () => {
    const { world, handle } = await member('one');
    others(world, 'True', 'False');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isWaiting(world));
    expect(world.status.waiting).toMatchObject({
      step: 'TakeTurn',
      message: expect.stringContaining('Node other-1 is not Ready'),
    });
    expect(world.condition('Deleting')?.message).toContain('Node other-1 is not Ready');
    expect(statesOf(world)).toEqual(['running']);
    others(world, 'True', 'True');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.kube.peek(LEASES, 'kube-system', 'control-plane-c1')).toMatchObject({
      spec: { holderIdentity: world.ref.uid },
    });
  });

  it('stays one when its Node is registered anew, without the label', async () => {
    const { world, handle } = await member('anew');
    world.nodeGoes();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.reason === 'NodeMissing');
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.status === 'True');
    expect(world.status.isControlPlane).toBe(true);
  });

  it('waits under every deletion policy', async () => {
    const { world, handle } = await member('forced');
    others(world, 'True');
    await world.edit({ spec: { deletionPolicy: 'forced' } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isWaiting(world));
    await temporal.pass(600);
    expect(statesOf(world)).toEqual(['running']);
  });

  it('waits again before its instance ends, where others were lost meanwhile', async () => {
    const { world, handle } = await member('later');
    others(world, 'True', 'True');
    await world.edit({ spec: { lifecycleHooks: { preTerminate: [{ name: 'backup', owner: 'people' }] } } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    others(world, 'True', 'False');
    await world.edit({ spec: { lifecycleHooks: { preTerminate: [] } } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isWaiting(world));
    expect(statesOf(world)).toEqual(['running']);
  });

  it('waits again where others are lost while the cloud puts its end off', async () => {
    const { world, handle } = await member('put-off');
    others(world, 'True', 'True');
    world.cloud.fail({ action: 'terminate', code: 'Unavailable' });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.step === 'Terminate');
    others(world, 'True', 'False');
    await temporal.pass(15);
    world.cloud.fail();
    await temporal.until(() => isWaiting(world), { within: 300 });
    await temporal.pass(300);
    expect(statesOf(world)).toEqual(['running']);
    others(world, 'True', 'True');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('goes at once where that was asked for, which an event records', async () => {
    const { world, handle } = await member('out-of-turn');
    await world.edit({ metadata: { annotations: { [OUT_OF_TURN_ANNOTATION]: forced(world) } } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'OutOfTurn')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('ada, in a hurry') }),
    ]);
  });

  it.each([
    ['and is deleted later', (world: MachineWorld) => world.delete(), isWaiting],
    [
      'and is maintained later',
      (world: MachineWorld) => world.edit({ spec: { maintenance: true } }),
      (world: MachineWorld) => world.condition('Maintenance')?.reason === 'ControlPlaneInTheWay',
    ],
  ])('takes its turn where it was to go without one, lived on, %s', async (when, act, isAsked) => {
    const { world, handle } = await member(`lived-on-${when.includes('deleted') ? 'deleted' : 'maintained'}`);
    const hooks = { lifecycleHooks: { preDrain: [{ name: 'Guard', owner: 'somebody' }] } };
    const annotations = { [OUT_OF_TURN_ANNOTATION]: forced(world) };
    await world.edit({ metadata: { annotations }, spec: { ...hooks, delete: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.preparation === 'started');
    // As by kubectl.
    await world.edit({ spec: { delete: false, lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.preparation === 'aborted');
    expect(world.object?.metadata.annotations ?? {}).not.toHaveProperty([OUT_OF_TURN_ANNOTATION]);
    others(world, 'True', 'False');
    await act(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isAsked(world));
    expect(statesOf(world)).toEqual(['running']);
    expect(eventsOf(world, 'OutOfTurn')).toEqual([]);
  });

  it('waits for its turn before its Node is emptied for a maintenance', async () => {
    const { world, handle } = await member('maintained');
    others(world, 'True', 'False');
    await world.edit({ spec: { maintenance: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Maintenance')?.reason === 'ControlPlaneInTheWay');
    expect(world.status).toMatchObject({ phase: 'Running', maintenance: false });
    others(world, 'True', 'True');
    await temporal.until(() => world.status.maintenance === true, { within: 60 });
    others(world, 'True', 'False');
    await world.edit({ spec: { drain: { timeout: '10m' } } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.observedGeneration === 3);
    expect([world.status.maintenance, world.condition('Maintenance')?.status]).toEqual([true, 'True']);
  });

  it('whose instance ends by itself meanwhile goes without a turn', async () => {
    const { world, handle } = await member('ended');
    others(world, 'True', 'False');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isWaiting(world));
    await world.cloud.end(world.instanceId);
    world.kube.put(
      aNode({
        ...world.nodes.find(({ metadata }) => metadata.name === nodeOf(world)),
        ready: 'Unknown',
        name: nodeOf(world),
      }),
    );
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it.each<[string, (world: MachineWorld) => Promise<void>]>([
    ['being deleted', (world) => world.delete()],
    ['to be deleted', (world) => world.edit({ spec: { delete: true } })],
  ])('that is first seen when it is %s already waits for its turn, by its label', async (what, act) => {
    const { world } = await runningMachine(temporal, `taken-over-${what.slice(0, 2)}`);
    await temporal.endAll();
    await world.edit({ metadata: { labels: MASTER } });
    await act(world);
    others(world, 'True', 'False');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => isWaiting(world));
    expect([world.status.isControlPlane, statesOf(world)]).toEqual([true, ['running']]);
    others(world, 'True', 'True');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('that is first seen when it is being deleted by force, with a cloud that fails, waits for its turn and no longer', async () => {
    const { world } = await runningMachine(temporal, 'taken-over-by-force');
    await temporal.endAll();
    await world.edit({ metadata: { labels: MASTER }, spec: { deletionPolicy: 'forced' } });
    await world.delete();
    others(world, 'True', 'False');
    world.cloud.fail({ action: 'terminate', code: 'InternalError' }, { action: 'describe', code: 'InternalError' });
    await temporal.startMachine(world);
    await temporal.until(() => isWaiting(world), { within: 400, step: 10 });
    await temporal.pass(600);
    expect([isWaiting(world), isThere(world)]).toEqual([true, true]);
    others(world, 'True', 'True');
    await temporal.until(() => !isThere(world), { within: 60 });
    expect(eventsOf(world, 'InstanceAbandoned')).toHaveLength(1);
  });

  it('that is first seen when it is being deleted already waits for its turn, by the role of its Node', async () => {
    const { world } = await runningMachine(temporal, 'taken-over-node');
    await temporal.endAll();
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { metadata: { labels } });
    await world.delete();
    others(world, 'True', 'False');
    await temporal.startMachine(world);
    await temporal.until(() => isWaiting(world));
    expect([world.status.isControlPlane, statesOf(world)]).toEqual([true, ['running']]);
  });

  it('whose Node was registered anew before it was first seen waits for its turn, by the role of that Node', async () => {
    const { world } = await runningMachine(temporal, 'registered-anew');
    await temporal.endAll();
    const node = world.nodes.find(({ metadata }) => metadata.name === nodeOf(world));
    world.kube.drop(NODES, undefined, nodeOf(world));
    world.kube.put({ ...node, metadata: { ...node?.metadata, name: nodeOf(world), uid: 'anew', labels } } as never);
    await world.delete();
    others(world, 'True', 'False');
    await temporal.startMachine(world);
    await temporal.until(() => isWaiting(world));
    expect([world.status.isControlPlane, statesOf(world)]).toEqual([true, ['running']]);
  });

  it.each([
    ['its label', MASTER, {}],
    ['the role of its Node', {}, labels],
  ])('whose Node came after it had failed waits for its turn, by %s', async (by, ofMachine, ofNode) => {
    const { world, handle } = await provisioned(temporal, `late-by-${by.includes('Node') ? 'node' : 'label'}`);
    await world.edit({ metadata: { labels: ofMachine } });
    await temporal.until(() => world.status.phase === 'Failed', { within: 1300, step: 10 });
    world.nodeRegisters();
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { metadata: { labels: ofNode } });
    // With its own Node there would be two that are Ready.
    others(world, 'True', 'False');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isWaiting(world));
    expect(world.status).toMatchObject({ isControlPlane: true, nodeRef: { name: nodeOf(world) } });
    expect(statesOf(world)).toEqual(['running']);
  });

  it('whose Node comes while a hook holds its end waits for its turn then', async () => {
    const { world, handle } = await provisioned(temporal, 'late-in-hook');
    const preTerminate = [{ name: 'backup', owner: 'people' }];
    await world.edit({ metadata: { labels: MASTER }, spec: { lifecycleHooks: { preTerminate } } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    world.nodeRegisters();
    others(world, 'True', 'False');
    await world.edit({ spec: { lifecycleHooks: { preTerminate: [] } } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isWaiting(world));
    expect(statesOf(world)).toEqual(['running']);
  });

  it('that never had a Node asks nobody, whatever its label says', async () => {
    const { world, handle } = await provisioned(temporal, 'never-joined');
    await world.edit({ metadata: { labels: MASTER } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.requests.filter(({ resource }) => resource.kind === LEASES.kind)).toEqual([]);
  });

  it('of no control plane asks nobody', async () => {
    const { world, handle } = await runningMachine(temporal, 'worker');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.requests.filter(({ resource }) => resource.kind === LEASES.kind)).toEqual([]);
    expect(world.kube.peek(MACHINES, 'default', 'worker')).toBeUndefined();
  });
});
