import { describe, expect, it } from '@jest/globals';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { spoiled } from '../../../test/world/builders/spoiled.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** Puts the Machine there with parts that no definition allows. */
function spoil(world: MachineWorld, parts: object): void {
  const { object } = world;
  if (object === undefined) throw new Error('the Machine is gone');
  world.kube.put(spoiled(object, parts));
}

describe('a stored Machine that is not what its schema allows', () => {
  it('is left alone and told so once, and goes on when it is mended', async () => {
    const world = new MachineWorld('mended', temporal.clock);
    const spec = world.object?.spec;
    spoil(world, { spec: { ...spec, taints: 'many' } });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'MalformedObject');
    expect(world.status.waiting?.message).toContain('spec.taints');
    await temporal.signal(handle, changedSignal);
    await temporal.pass(3600);
    expect([world.status.launch, world.launches]).toEqual([undefined, []]);
    expect(world.events.map((e) => e.reason)).toEqual(['FailedValidate']);
    spoil(world, { spec });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned');
  });

  it('keeps a status that cannot be read, also while it is being deleted', async () => {
    const world = new MachineWorld('unreadable', temporal.clock);
    spoil(world, { status: { addresses: 'many' } });
    await world.delete();
    await temporal.startMachine(world);
    await temporal.until(() => world.events.length === 1);
    await temporal.pass(3600);
    expect(world.requests.filter(({ verb }) => verb !== 'get' && verb !== 'list')).toEqual([]);
    expect(world.object).toMatchObject({ status: { addresses: 'many' } });
  });
});
