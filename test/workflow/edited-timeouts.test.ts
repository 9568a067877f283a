import { describe, expect, it } from '@jest/globals';
import type { HealthWorld } from '../world/health-world.ts';
import { runningHealthCheck, SICK } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('the time for which a condition is bad', () => {
  it.each<[string, (world: HealthWorld) => void]>([
    ['says that it has just changed', (world) => world.sicken(1)],
    [
      'does not say when it changed',
      (world) => {
        const node = world.node(1)!;
        const conditions = node.status?.conditions?.map(({ lastTransitionTime: _none, ...said }) => said) ?? [];
        world.putNode({ ...node, status: { ...node.status, conditions } });
      },
    ],
  ])('is kept where the time-out of its rule is edited, and the condition %s', async (words, rewrite) => {
    const spec = { unhealthyConditions: [{ ...SICK, timeout: '1h' }] };
    const { world, tell } = await runningHealthCheck(temporal, `edited-${words.length}`, { spec });
    await tell(() => world.sicken(1));
    await temporal.pass(600);
    await tell(() => rewrite(world));
    await temporal.pass(5);
    await tell(() => world.change({ unhealthyConditions: [{ ...SICK, timeout: '5m' }] }));
    await temporal.pass(10);
    expect(world.deleted).toEqual([1]);
  });
});
