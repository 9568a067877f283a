import { describe, expect, it } from '@jest/globals';
import { THROTTLED } from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { provisioned } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal, recountSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const states = (world: MachineWorld) => world.instances.map((i) => i.state);

describe('more than one living instance of a Machine', () => {
  it('is named in a condition and an event; the one on record stays, and the other that it launched is ended', async () => {
    const { world, handle } = await provisioned(temporal, 'two');
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
    const { world, handle } = await provisioned(temporal, 'others');
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
    const { world, handle } = await provisioned(temporal, 'unseen');
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
