import { describe, expect, it } from '@jest/globals';
import { changedSignal } from '../../workflows/signals.ts';
import { THROTTLED } from './cloud-failures.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

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
    world.change({ deletedAt: '2026-01-02T00:00:00Z' });
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

  it('is not terminated before they let it go', async () => {
    const { world, handle } = await balanced('held');
    await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
    world.balancerFailure = THROTTLED;
    world.change({ deletedAt: '2026-01-02T00:00:00Z' });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.step === 'DetachLoadBalancers');
    await temporal.pass(120);
    expect(world.called('terminateInstance')).toBe(0);
    world.balancerFailure = undefined;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });
});
