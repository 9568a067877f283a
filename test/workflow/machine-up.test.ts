import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MachineWorld } from './machine-world.ts';
import { changedSignal, Temporal } from './temporal.ts';

let temporal: Temporal;
beforeAll(async () => {
  temporal = await Temporal.skippingTime();
}, 120_000);
afterEach(() => temporal.endAll());
afterAll(() => temporal.stop());

describe('a machine that comes up', () => {
  it('launches once, links its Node and is Running, within the budget of events and tasks', async () => {
    const world = new MachineWorld('up', temporal.now);
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    world.nodeRegisters();
    await handle.signal(changedSignal);
    await temporal.until(() => world.status.phase === 'Running');
    const { events = [] } = await handle.fetchHistory();
    console.log(events?.map((e, i) => `${i + 1} ${Object.keys(e).filter((k) => k.endsWith('Attributes') && e[k as keyof typeof e])} ${e.markerRecordedEventAttributes?.markerName ?? ''} ${Buffer.from(e.markerRecordedEventAttributes?.details?.['data']?.payloads?.[0]?.data ?? []).toString().slice(0,200)}`).join('\n'));
    expect(world.launches).toHaveLength(1);
  });
});
