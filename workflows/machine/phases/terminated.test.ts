import { describe, expect, it } from '@jest/globals';
import { THROTTLED } from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED, provisioned } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const DOUBT = '6 of 10 instances of these credentials are absent at once';

it('a termination that the cloud did not take is asked for again, and said', async () => {
  const { world, handle } = await provisioned(temporal, 'throttled-end');
  world.terminationFailure = THROTTLED;
  world.change(DELETED);
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.reason === (THROTTLED.cloudCode ?? THROTTLED.code));
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.called('terminateInstance')).toBe(2);
});

describe('a Machine that is deleted', () => {
  it('counts an instance that the cloud forgot as gone only after three looks over five minutes', async () => {
    const { world, handle } = await provisioned(temporal, 'forgotten');
    world.instances = [];
    world.change(DELETED);
    const since = await temporal.now();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.calls.at(-1)?.at ?? 0) - since).toBeGreaterThanOrEqual(300_000);
    expect(world.called('lookAtInstance')).toBe(3);
  });
});

describe('where most instances of the credentials are absent at once', () => {
  it('a deletion whose instance is gone ends after the ordinary proof, and says meanwhile what is doubted', async () => {
    const { world, handle } = await provisioned(temporal, 'doubted');
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
    const { world, handle } = await provisioned(temporal, 'shown-again');
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
});

describe('a Machine that only names an instance', () => {
  /** It never came to record the instance: deleted before its first look. */
  function naming(name: string): MachineWorld {
    const world = new MachineWorld(name, temporal.now);
    world.change({ providerID: world.addInstance().providerID, ...DELETED });
    return world;
  }

  it('does not end it while nobody can tell whose it is', async () => {
    const world = naming('throttled');
    world.lookFailure = THROTTLED;
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.step === 'Terminate');
    await temporal.pass(600);
    expect(world.called('terminateInstance')).toBe(0);
    world.lookFailure = undefined;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('terminateInstance')).toBe(1);
  });

  it('goes without it where it is another Machine’s', async () => {
    const world = naming('copied');
    world.foreign = 'instance i-copied-1 belongs to the Machine default/original';
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('terminateInstance')).toBe(0);
  });
});
