import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../../providers/provider-error.ts';
import { balancedMachine } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { straight } from '../../../test/world/kubernetes/request.ts';
import { refused } from '../../../test/world/world-cloud.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const THROTTLED = new ProviderError('Throttled', 'too many requests', { cloudCode: 'RequestLimitExceeded' });

const attached = ({ cloud }: MachineWorld) => cloud.balancers.calls.filter(({ action }) => action === 'register');

describe('a machine whose spec names load balancers', () => {
  it('is put behind them when it runs, once, and taken from there before it is terminated', async () => {
    const { world, handle } = await balancedMachine(temporal, 'behind');
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
    const { instanceId } = world;
    expect(world.cloud.balancers.behind).toEqual({ 'lb-1': [instanceId], 'lb-2': [instanceId] });
    await temporal.pass(3600);
    expect(attached(world)).toHaveLength(1);
    const behindAtTheEnd: object[] = [];
    world.cloud.onRequest = ({ action }, carryOut) => {
      if (action === 'terminate') behindAtTheEnd.push(world.cloud.balancers.behind);
      return carryOut();
    };
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(behindAtTheEnd).toEqual([{}]);
  });

  it('stays Running while they refuse it, says so, and goes on by itself', async () => {
    const { world } = await balancedMachine(temporal, 'refused', (w) => {
      w.cloud.onRequest = refused('register', THROTTLED);
    });
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'False');
    expect(world.status).toMatchObject({ phase: 'Running', waiting: { step: 'AttachLoadBalancers' } });
    world.cloud.onRequest = straight;
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True', { within: 600, step: 5 });
    expect(world.status.waiting).toBeUndefined();
    expect(attached(world)).toHaveLength(1);
  });
});
