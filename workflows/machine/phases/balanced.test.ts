import { describe, expect, it } from '@jest/globals';
import { THROTTLED } from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

async function balanced(name: string, prepare: (world: MachineWorld) => void = () => {}) {
  const world = new MachineWorld(name, temporal.now);
  world.loadBalancers = ['lb-1', 'lb-2'];
  prepare(world);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.called('attachLoadBalancers') === 1);
  return { world, handle };
}

function steps({ calls }: MachineWorld): string[] {
  return calls.map((c) => c.name).filter((n) => ['detachLoadBalancers', 'terminateInstance'].includes(n));
}

describe('a machine whose spec names load balancers', () => {
  it('is put behind them when it runs, once, and taken from there before it is terminated', async () => {
    const { world, handle } = await balanced('behind');
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
    expect([...world.behind.keys()]).toEqual(['lb-1', 'lb-2']);
    await temporal.pass(3600);
    expect(world.called('attachLoadBalancers')).toBe(1);
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(steps(world)).toEqual(['detachLoadBalancers', 'terminateInstance']);
    expect(world.behind.size).toBe(0);
  });

  it('stays Running while they refuse it, says so, and goes on by itself', async () => {
    const { world } = await balanced('refused', (w) => {
      w.balancerFailure = THROTTLED;
    });
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'False');
    expect(world.status).toMatchObject({ phase: 'Running', waiting: { step: 'AttachLoadBalancers' } });
    world.balancerFailure = undefined;
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True', { within: 600, step: 5 });
    expect(world.status.waiting).toBeUndefined();
  });
});
