import { describe, expect, it } from '@jest/globals';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

function countingInventory() {
  const rounds: number[] = [];
  return {
    rounds,
    async takeInventory() {
      rounds.push(await temporal.now());
      return { machines: 2, instances: 2, woken: 0, startedAgain: 0, problems: [], intervalSeconds: 300 };
    },
  };
}

describe('the inventory', () => {
  it('is taken every interval, with at most two workflow tasks a round', async () => {
    const activities = countingInventory();
    const handle = await temporal.startInventory('every-interval', activities);
    await temporal.until(() => activities.rounds.length === 1);
    await temporal.pass(3000);
    expect(activities.rounds.length).toBeGreaterThanOrEqual(10);
    const { events } = await handle.fetchHistory();
    const tasks = (events ?? []).filter((e) => e.workflowTaskScheduledEventAttributes != null).length;
    expect(tasks).toBeLessThanOrEqual(2 * activities.rounds.length + 1);
  });
});
