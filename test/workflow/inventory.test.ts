import { describe, expect, it } from '@jest/globals';
import { World } from '../world/world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('the inventory', () => {
  it('is taken every interval, with at most two workflow tasks a round, and wakes the machines that differ', async () => {
    const world = new World(temporal.clock);
    await world.addLaunched({ name: 'there' });
    const { id } = await world.addLaunched({ name: 'gone' });
    world.cloud.vanish(id);
    let rounds = 0;
    world.onActivity = (_name, run) => {
      rounds += 1;
      return run();
    };
    const handle = await temporal.startInventory(world);
    await temporal.until(() => rounds === 1);
    await temporal.pass(3000);
    expect(rounds).toBeGreaterThanOrEqual(10);
    expect(new Set(world.workflows.inspected)).toEqual(new Set(['gone']));
    const { events } = await handle.fetchHistory();
    const tasks = (events ?? []).filter((e) => e.workflowTaskScheduledEventAttributes != null).length;
    expect(tasks).toBeLessThanOrEqual(2 * rounds + 1);
  });
});
