import { describe, expect, it } from '@jest/globals';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { NO_CAPACITY, THROTTLED } from './cloud-failures.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const EMPTY: MachineStatus = { addresses: [], conditions: [] };
const OLD = { createdAt: '2026-01-01T00:00:00Z' };
const DELETED = { deletedAt: '2026-01-02T00:00:00Z' };

async function provisioned(name: string) {
  const world = new MachineWorld(name, temporal.now);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  return { world, handle };
}

/** As an older backup has it, or a PUT without them: no status and no providerID. */
function lose(world: MachineWorld): void {
  const { providerID: _lost, ...left } = world.object ?? {};
  if (world.object === undefined) throw new Error('the object is gone');
  world.object = { ...world.object, ...left, status: EMPTY };
  delete (world.object as { providerID?: string }).providerID;
}

describe('a Machine whose status and providerID were lost under a workflow that knows its instance', () => {
  it('gets them back, and no second instance', async () => {
    const { world, handle } = await provisioned('overwritten');
    lose(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object?.providerID !== undefined);
    await temporal.pass(2);
    expect(world.launches).toHaveLength(1);
    expect(world.object?.providerID).toBe(world.instances[0]?.providerID);
    expect(world.status).toMatchObject({
      phase: 'Provisioned',
      instance: { id: 'i-overwritten-1' },
      launch: { attempt: 1, token: 'token-1' },
    });
    expect(world.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'RecordRestored' }));
    expect(world.called('findInstances')).toBe(0);
  });

  it('goes only after its instance went', async () => {
    const { world, handle } = await provisioned('overwritten-end');
    lose(world);
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
  });

  it('gets its record back also where it is lost while the Machine is paused', async () => {
    const { world, handle } = await provisioned('paused');
    lose(world);
    world.change({ paused: true });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Paused')?.status === 'True');
    lose(world);
    world.change({ paused: false });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object?.providerID !== undefined);
    expect(world.status.launch?.token).toBe('token-1');
    expect(world.launches).toHaveLength(1);
  });

  it('stays Failed where it had failed, and launches nothing', async () => {
    const { world, handle } = await provisioned('failed');
    world.setInstanceState('terminated');
    await temporal.signal(handle, 'inspect');
    await temporal.until(() => world.status.phase === 'Failed');
    lose(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Failed');
    await temporal.pass(60);
    expect(world.status.error?.reason).toBe('UpdateError');
    expect(world.launches).toHaveLength(1);
  });
});

describe('a launch whose record was lost', () => {
  it('goes on with the attempt it had come to, its record and the finalizer in place before the next call', async () => {
    const world = new MachineWorld('attempts', temporal.now);
    world.fateOf = (call) => (call < 3 ? NO_CAPACITY : 'instance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.launches.length === 2, { within: 200 });
    lose(world);
    world.change({ hasFinalizer: false });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object?.hasFinalizer === true && world.status.launch !== undefined);
    expect(world.status.launch?.attempt).toBe(2);
    expect(world.launches).toHaveLength(2);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 700 });
    expect(world.launches.map((c) => c.token)).toEqual(['token-1', 'token-2', 'token-3']);
  });
});

describe('a living Machine', () => {
  it.each([
    ['its finalizer', (world: MachineWorld) => world.change({ hasFinalizer: false })],
    ['its providerID', (world: MachineWorld) => delete (world.object as { providerID?: string }).providerID],
  ])('gets %s back at once, with an event, by what the workflow knows', async (_what, drop) => {
    const { world, handle } = await provisioned(`dropped-${drop.length}${String(drop).length}`);
    drop(world);
    const looks = world.called('lookAtInstance');
    world.lookFailure = THROTTLED;
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('lookAtInstance') > looks);
    expect(world.object).toMatchObject({ hasFinalizer: true, providerID: world.instances[0]?.providerID });
    expect(world.events.filter(({ reason }) => reason === 'RecordRestored')).toHaveLength(1);
  });

  it('gets them back from a workflow that never saw its instance, which looks for itself', async () => {
    const { world } = await provisioned('dropped-anew');
    await temporal.endAll();
    world.change({ hasFinalizer: false });
    delete (world.object as { providerID?: string }).providerID;
    await temporal.startMachine(world);
    await temporal.until(() => world.object?.providerID !== undefined);
    expect(world.object?.hasFinalizer).toBe(true);
    expect(world.events.filter(({ reason }) => reason === 'RecordRestored')).toHaveLength(1);
  });
});

describe('a Machine that a workflow sees first, and that may have a past', () => {
  it('gets the instance that was launched for it, where its record was lost with Temporal’s', async () => {
    const world = new MachineWorld('restored', temporal.now);
    world.change(OLD);
    world.addInstance('token-1');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.status.instance?.id).toBe('i-restored-1');
    expect(world.launches).toHaveLength(0);
  });

  it('goes only after that instance', async () => {
    const world = new MachineWorld('restored-end', temporal.now);
    world.change({ ...OLD, ...DELETED });
    world.addInstance('token-1');
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
  });

  it.each([
    ['is old', OLD],
    ['is of the future: clocks differ', { createdAt: '2099-01-01T00:00:00Z' }],
    ['came with a phase of ours', { status: { ...EMPTY, phase: 'Provisioning' as const, observedGeneration: 1 } }],
    ['has our finalizer, and was made by no set', { madeBySet: undefined }],
  ])('is looked up once before its launch where it %s', async (what, changes) => {
    const world = new MachineWorld(`looked-${what.slice(0, 5).replaceAll(' ', '')}`, temporal.now);
    const { madeBySet: _madeBySet, ...others } = { madeBySet: true, ...changes };
    world.change(others);
    if ('madeBySet' in changes) delete (world.object as { madeBySet?: true }).madeBySet;
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    const names = world.calls.map((c) => c.name);
    expect(names.filter((name) => name === 'findInstances')).toHaveLength(1);
    expect(names.indexOf('findInstances')).toBeLessThan(names.indexOf('launchInstance'));
  });

  it('is new, and not looked up, where a set made it just now', async () => {
    const { world } = await provisioned('new');
    expect(world.called('findInstances')).toBe(0);
  });

  it('is looked up before its launch where it is new, and a Node names it', async () => {
    const world = new MachineWorld('named', temporal.now);
    world.isNamedByNode = true;
    world.addInstance('token-1');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect([world.status.instance?.id, world.launches.length]).toEqual(['i-named-1', 0]);
  });

  it('launches nothing while the look-up fails', async () => {
    const world = new MachineWorld('unseen', temporal.now);
    world.change(OLD);
    world.findFailureOf = () => THROTTLED;
    await temporal.startMachine(world);
    await temporal.until(() => world.called('findInstances') >= 2, { within: 60 });
    await temporal.pass(60);
    expect(world.called('findInstances')).toBeLessThan(15);
    expect(world.called('prepareLaunch') + world.launches.length).toBe(0);
    world.findFailureOf = () => undefined;
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 400 });
    expect(world.instances).toHaveLength(1);
  });

  it('launches nothing beside an instance that may not be adopted, says so, and looks again slowly and on a change', async () => {
    const world = new MachineWorld('beside', temporal.now);
    world.change(OLD);
    world.another = 'instance i-9 is named like the Machine and belongs to the Machine other/beside';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InstanceOfAnother');
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'Unknown', reason: 'InstanceOfAnother' });
    expect(world.status.waiting?.message).toContain('i-9');
    await temporal.pass(700);
    expect(world.called('findInstances')).toBeLessThanOrEqual(4);
    expect(world.launches).toHaveLength(0);
    world.another = undefined;
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.launches).toHaveLength(1);
  });

  it('goes without an instance that may not be adopted, and says so', async () => {
    const world = new MachineWorld('beside-end', temporal.now);
    world.change({ ...OLD, ...DELETED });
    world.addInstance();
    world.another = 'instance i-9 belongs to the Machine other/beside-end';
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('terminateInstance') + world.called('endSurplusInstance')).toBe(0);
    expect(world.events).toContainEqual(expect.objectContaining({ message: expect.stringContaining('i-9') }));
  });
});
