import { describe, expect, it } from '@jest/globals';
import { changedSignal } from '../../workflows/signals.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

function countingInventory(during: (round: number) => Promise<void> = async () => {}) {
  const rounds: number[] = [];
  return {
    rounds,
    async takeInventory() {
      rounds.push(await temporal.now());
      await during(rounds.length);
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

  it('is taken at once when asked for, also when it was asked for during a round', async () => {
    let ask = async (): Promise<void> => {};
    const activities = countingInventory((round) => (round === 1 ? ask() : Promise.resolve()));
    ask = async () => {
      await temporal.client.workflow.getHandle('inventory/asked').signal(changedSignal);
    };
    const handle = await temporal.startInventory('asked', activities);
    await temporal.until(() => activities.rounds.length === 2, { within: 20 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => activities.rounds.length === 3, { within: 20 });
  });
});
