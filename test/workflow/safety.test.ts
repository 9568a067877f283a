import { describe, expect, it } from '@jest/globals';
import type { Outage } from '../../workflows/machine-health-check/health-activities.ts';
import { apiServerAwaySignal, outagesQuery } from '../../workflows/safety/messages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

async function running(name: string) {
  const handle = await temporal.startSafety(name);
  const tell = (told: Outage): Promise<void> => temporal.signal(handle, apiServerAwaySignal, told);
  const outages = () => handle.query(outagesQuery);
  return { handle, tell, outages };
}

describe('the safety workflow', () => {
  it('remembers when the API server was away', async () => {
    const { tell, outages } = await running('remembers');
    expect(await outages()).toEqual([]);
    const from = new Date(await temporal.now()).toISOString();
    await tell({ from });
    expect(await outages()).toEqual([{ from }]);
    const until = new Date((await temporal.now()) + 60_000).toISOString();
    await tell({ from, until });
    expect(await outages()).toEqual([{ from, until }]);
  });

  it('costs nothing while nothing happens', async () => {
    const { handle } = await running('idle');
    await temporal.pass(1);
    const { historyLength } = await handle.describe();
    await temporal.pass(24 * 3600);
    expect((await handle.describe()).historyLength).toBe(historyLength);
  });
});
