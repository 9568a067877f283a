import { describe, expect, it } from '@jest/globals';
import { changedSignal, recountSignal } from '../../workflows/signals.ts';
import { NO_CAPACITY, THROTTLED } from './cloud-failures.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const DELETED = { deletedAt: '2026-01-02T00:00:00Z' };

async function provisioned(name: string) {
  const world = new MachineWorld(name, temporal.now);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  return { world, handle };
}

const states = (world: MachineWorld) => world.instances.map((i) => i.state);

describe('more than one living instance of a Machine', () => {
  it('is named in a condition and an event; the one on record stays, and the other that it launched is ended', async () => {
    const { world, handle } = await provisioned('two');
    world.addInstance('token-0');
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique')?.status === 'False');
    expect(world.condition('InstancesUnique')).toMatchObject({
      reason: 'MultipleInstances',
      message: expect.stringMatching(/i-two-1 .*stays.*i-two-2/),
    });
    expect(world.events.filter(({ reason }) => reason === 'MultipleInstances')).toHaveLength(1);
    expect(states(world)).toEqual(['running', 'terminated']);
    expect(world.status.instance?.id).toBe('i-two-1');
    await temporal.until(() => world.condition('InstancesUnique') === undefined, { within: 30 });
  });

  it('is only named where it was not launched by the Machine, and looked at again slowly', async () => {
    const { world, handle } = await provisioned('others');
    world.addInstance();
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique')?.status === 'False');
    await temporal.pass(600);
    expect(states(world)).toEqual(['running', 'running']);
    expect(world.called('findInstances')).toBeLessThanOrEqual(3);
    expect(world.events.filter(({ reason }) => reason === 'MultipleInstances')).toHaveLength(1);
    world.instances = world.instances.slice(0, 1);
    await temporal.until(() => world.condition('InstancesUnique') === undefined, { within: 400, step: 10 });
  });

  it('is not concluded from a look that failed', async () => {
    const { world, handle } = await provisioned('unseen');
    world.addInstance('token-0');
    await temporal.signal(handle, recountSignal);
    await temporal.until(() => world.condition('InstancesUnique') !== undefined);
    world.findFailureOf = () => THROTTLED;
    await temporal.pass(60);
    expect(world.condition('InstancesUnique')?.status).toBe('False');
    world.findFailureOf = () => undefined;
    await temporal.until(() => world.condition('InstancesUnique') === undefined, { within: 60 });
  });

  it('is looked for once where the instance was found, and not answered by its call', async () => {
    const world = new MachineWorld('found', temporal.now);
    world.fateOf = () => 'unansweredInstance';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    world.addInstance('token-0');
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => states(world)[1] === 'terminated');
    expect(world.status.instance?.id).toBe('i-found-1');
  });
});

describe('a deletion', () => {
  it('ends every instance that the Machine launched, where more than one attempt was called', async () => {
    const world = new MachineWorld('attempts', temporal.now);
    world.fateOf = (call) => (call === 1 ? NO_CAPACITY : 'instance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 200 });
    world.addInstance('token-1');
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(states(world)).toEqual(['terminated', 'terminated']);
  });

  it('does not go on while it cannot be told whether there is another one', async () => {
    const world = new MachineWorld('blind', temporal.now);
    world.fateOf = (call) => (call === 1 ? NO_CAPACITY : 'instance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 200 });
    world.findFailureOf = () => THROTTLED;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('findInstances') >= 2, { within: 100 });
    expect(world.object).toBeDefined();
    world.findFailureOf = () => undefined;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('looks for no other where one call was answered with the one instance', async () => {
    const { world, handle } = await provisioned('clean');
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    expect(world.called('findInstances')).toBe(0);
  });
});
