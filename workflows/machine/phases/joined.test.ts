import { describe, expect, it } from '@jest/globals';
import { NO_CAPACITY } from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a Node that does not join', () => {
  it('fails the Machine after the creation timeout, and keeps the instance', async () => {
    const world = new MachineWorld('late', temporal.now);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Failed', { within: 1300, step: 10 });
    expect(world.status.error?.reason).toBe('JoinClusterTimeoutError');
    expect((await temporal.now()) - (world.launches[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_200_000);
    await temporal.pass(3600);
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('has as long as the Machine itself says', async () => {
    const world = new MachineWorld('hurried', temporal.now);
    world.change({ creationTimeoutSeconds: 30 });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.error?.reason === 'JoinClusterTimeoutError', { within: 40 });
  });

  it('is given the whole time even where capacity was waited for longer than that', async () => {
    const world = new MachineWorld('patient', temporal.now);
    world.fateOf = (call) => (call <= 6 ? NO_CAPACITY : 'instance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 3600, step: 10 });
    await temporal.pass(1000);
    expect(world.status.phase).toBe('Provisioned');
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Running');
  });
});
