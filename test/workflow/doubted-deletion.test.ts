import { describe, expect, it } from '@jest/globals';
import { changedSignal, inspectSignal } from '../../workflows/signals.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

const DELETED = { deletedAt: '2026-01-02T00:00:00Z' };
const DOUBT = '6 of 10 instances of these credentials are absent at once';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

async function provisioned(name: string) {
  const world = new MachineWorld(name, temporal.now);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  return { world, handle };
}

describe('where most instances of the credentials are absent at once', () => {
  it('a deletion whose instance is gone ends after the ordinary proof, and says meanwhile what is doubted', async () => {
    const { world, handle } = await provisioned('doubted');
    world.instances = [];
    world.doubt = DOUBT;
    world.change(DELETED);
    const since = await temporal.now();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'ManyInstancesMissing');
    expect(world.status.waiting?.message).toContain(DOUBT);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.calls.at(-1)?.at ?? 0) - since).toBeGreaterThanOrEqual(300_000);
    expect(world.called('lookAtInstance')).toBe(3);
  });

  it('the deletion of a Machine that only names an instance ends too, and nothing is terminated for it', async () => {
    const world = new MachineWorld('only-names', temporal.now);
    world.change({ providerID: 'simulated:///zone-a/i-of-whom', ...DELETED });
    world.doubt = DOUBT;
    const since = await temporal.now();
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.calls.at(-1)?.at ?? 0) - since).toBeGreaterThanOrEqual(300_000);
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('a look that shows the instance after all begins the proof anew, and it is terminated', async () => {
    const { world, handle } = await provisioned('shown-again');
    const { instances } = world;
    world.instances = [];
    world.doubt = DOUBT;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('lookAtInstance') === 2, { within: 300, step: 10 });
    world.instances = instances;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.instances.map(({ state }) => state)).toEqual(['terminated']);
    expect(world.called('terminateInstance')).toBe(2);
  });

  it('a Machine that lives is never taken for one whose instance is gone, however often it looks', async () => {
    const { world, handle } = await provisioned('lives');
    world.instances = [];
    world.doubt = DOUBT;
    await temporal.signal(handle, inspectSignal);
    await temporal.pass(1000);
    expect(world.called('lookAtInstance')).toBeGreaterThan(3);
    expect(world.status.phase).toBe('Provisioned');
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'Unknown', reason: 'ManyInstancesMissing' });
  });
});
