import { describe, expect, it } from '@jest/globals';
import { NO_CAPACITY, THROTTLED } from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED, provisioned } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const states = (world: MachineWorld) => world.instances.map((i) => i.state);

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
    const { world, handle } = await provisioned(temporal, 'clean');
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    expect(world.called('findInstances')).toBe(0);
  });
});
