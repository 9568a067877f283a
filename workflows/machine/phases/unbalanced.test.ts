import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../../providers/provider-error.ts';
import { lastTaskOf } from '../../../test/workflow/history-budget.ts';
import { balancedMachine, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { straight } from '../../../test/world/kubernetes/request.ts';
import { refused } from '../../../test/world/world-cloud.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a machine that is behind load balancers', () => {
  it('is not terminated before they let it go', async () => {
    const { world, handle } = await balancedMachine(temporal, 'held');
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
    world.cloud.onRequest = refused('deregister', new ProviderError('Throttled', 'too many requests'));
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.step === 'DetachLoadBalancers');
    await temporal.pass(120);
    expect(world.cloud.calls('terminate')).toEqual([]);
    world.cloud.onRequest = straight;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.balancers.behind).toEqual({});
  });

  it('is let go, terminated and gone within one workflow task, as any other', async () => {
    const { world, handle } = await balancedMachine(temporal, 'at-once');
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const { events } = await handle.fetchHistory();
    const steps = ['observeMachine', 'drainNode', 'detachLoadBalancers', 'terminateInstance', 'letGo'];
    expect(lastTaskOf(events ?? [])).toEqual(steps);
    expect(world.cloud.balancers.behind).toEqual({});
  });

  it('is taken from there again before it ends, where a call to attach takes effect late', async () => {
    let lateEffect: () => Promise<unknown> = async () => {};
    const { world, handle } = await balancedMachine(temporal, 'late', ({ cloud }) => {
      cloud.onRequest = async ({ action }, carryOut) => {
        if (action !== 'register') return carryOut();
        cloud.onRequest = straight;
        lateEffect = carryOut;
        throw new ProviderError('DeadlineExceeded', 'no answer');
      };
    });
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'AttachmentOutcomeUnknown');
    expect(world.cloud.balancers.behind).toEqual({});
    await lateEffect();
    expect(world.cloud.calls('terminate')).toEqual([]);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.balancers.behind).toEqual({});
    expect(statesOf(world)).toEqual(['terminated']);
  });

  it('is taken from there as well where its record was lost, and only spec.providerID names its instance', async () => {
    const { world } = await balancedMachine(temporal, 'named');
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
    await temporal.endAll();
    world.overwrite({ status: {} });
    await world.delete();
    const behindAtTheEnd: object[] = [];
    world.cloud.onRequest = ({ action }, carryOut) => {
      if (action === 'terminate') behindAtTheEnd.push(world.cloud.balancers.behind);
      return carryOut();
    };
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(behindAtTheEnd).toEqual([{}]);
    expect(statesOf(world)).toEqual(['terminated']);
  });
});
