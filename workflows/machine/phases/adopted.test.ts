import { describe, expect, it } from '@jest/globals';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a Machine that comes with an instance', () => {
  it('adopts the one that its providerID names, and never launches', async () => {
    const world = new MachineWorld('adopted', temporal.now);
    world.change({ providerID: world.addInstance().providerID });
    world.nodeRegisters();
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Running');
    expect(world.status.instance?.id).toBe('i-adopted-1');
    expect(world.launches).toHaveLength(0);
  });
});
