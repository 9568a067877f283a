import { describe, expect, it } from '@jest/globals';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import { THROTTLED } from '../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../test/workflow/machine-world.ts';
import { DELETED, provisioned } from '../../test/workflow/stages.ts';
import type { Temporal } from '../../test/workflow/temporal.ts';
import { useTemporal } from '../../test/workflow/use-temporal.ts';
import { changedSignal } from '../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const EMPTY: MachineStatus = { addresses: [], conditions: [] };
const OLD = { createdAt: '2026-01-01T00:00:00Z' };

/** As the Machine API's controller leaves a Machine that it has just begun with: a phase, and nothing else. */
function leftBehind(name: string): MachineWorld {
  const world = new MachineWorld(name, temporal.now);
  world.change({ status: { phase: 'Provisioning', addresses: [], conditions: [] } });
  return world;
}

describe('a Machine on which another controller acted before', () => {
  it('gets the instance that was launched for it and never recorded, and no second one', async () => {
    const world = leftBehind('launched');
    world.addInstance();
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.status.instance?.id).toBe('i-launched-1');
    expect(world.called('launchInstance')).toBe(0);
  });

  it('is launched where a look shows that there is none', async () => {
    const world = leftBehind('unlaunched');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    const names = world.calls.map((c) => c.name);
    expect(names.indexOf('findInstances')).toBeLessThan(names.indexOf('launchInstance'));
    expect(world.instances).toHaveLength(1);
  });

  it('goes only after its instance went, although no status tells of one', async () => {
    const world = leftBehind('deleted');
    world.addInstance();
    world.change(DELETED);
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
  });

  it('is still looked into where Temporal forgot everything while the Machine was paused', async () => {
    const world = leftBehind('paused');
    world.addInstance();
    world.change({ paused: true });
    await temporal.startMachine(world);
    await temporal.until(() => world.condition('Paused')?.status === 'True');
    await temporal.endAll();
    world.change({ paused: false });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.called('launchInstance')).toBe(0);
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
    const { world } = await provisioned(temporal, 'new');
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
