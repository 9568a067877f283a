import { describe, expect, it } from '@jest/globals';
import { THROTTLED } from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a machine that is behind load balancers', () => {
  it('is not terminated before they let it go', async () => {
    const world = new MachineWorld('held', temporal.now);
    world.loadBalancers = ['lb-1', 'lb-2'];
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
    world.balancerFailure = THROTTLED;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.step === 'DetachLoadBalancers');
    await temporal.pass(120);
    expect(world.called('terminateInstance')).toBe(0);
    world.balancerFailure = undefined;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });
});
