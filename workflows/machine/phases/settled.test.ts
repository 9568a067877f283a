import { describe, expect, it } from '@jest/globals';
import { NO_CAPACITY } from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED, order, SLOWLY } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('the deletion of a Machine whose launch is open', () => {
  it('settles a launch of unknown outcome first, and terminates what came of it', async () => {
    const world = new MachineWorld('unknown-launch', temporal.now, SLOWLY);
    world.fateOf = () => 'unansweredInstance';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(order(world, 'findInstances', 'terminateInstance', 'letGo')).toEqual([
      'findInstances',
      'terminateInstance',
      // A call that was never answered may have made a second one.
      'findInstances',
      'letGo',
    ]);
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
    expect(world.launches).toHaveLength(1);
  });

  it('looks over the whole window when a launch of unknown outcome made nothing', async () => {
    const world = new MachineWorld('unknown-nothing', temporal.now, SLOWLY);
    world.fateOf = () => 'unansweredNothing';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    const called = world.launches[0]?.at ?? 0;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.calls.at(-1)?.at ?? 0) - called).toBeGreaterThanOrEqual(360_000);
    expect(world.called('findInstances')).toBeGreaterThanOrEqual(3);
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('goes at once when every launch was refused', async () => {
    const world = new MachineWorld('refused', temporal.now);
    world.fateOf = () => NO_CAPACITY;
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting !== undefined);
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('findInstances') + world.called('terminateInstance')).toBe(0);
  });

  it('is not taken for gone because the cloud does not know its instance yet', async () => {
    const world = new MachineWorld('lagging', temporal.now, SLOWLY);
    world.fateOf = () => 'unansweredInstance';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    world.terminateLags = 1;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
  });
});
