import { describe, expect, it } from '@jest/globals';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** As the Machine API's controller leaves a Machine that it has just begun with: a phase, and nothing else. */
function leftBehind(name: string): MachineWorld {
  const world = new MachineWorld(name, temporal.now);
  world.change({ status: { phase: 'Provisioning', addresses: [], conditions: [] } });
  return world;
}

describe('a Machine on which another controller acted before', () => {
  it('gets the instance that was launched for it and never recorded, and no second one', async () => {
    const world = leftBehind('launched');
    world.addInstance();
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.status.instance?.id).toBe('i-launched-1');
    expect(world.called('launchInstance')).toBe(0);
  });

  it('is launched where a look shows that there is none', async () => {
    const world = leftBehind('unlaunched');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    const names = world.calls.map((c) => c.name);
    expect(names.indexOf('findInstances')).toBeLessThan(names.indexOf('launchInstance'));
    expect(world.instances).toHaveLength(1);
  });

  it('goes only after its instance went, although no status tells of one', async () => {
    const world = leftBehind('deleted');
    world.addInstance();
    world.change({ deletedAt: '2026-01-02T00:00:00Z' });
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
  });

  it('is still looked into where Temporal forgot everything while the Machine was paused', async () => {
    const world = leftBehind('paused');
    world.addInstance();
    world.change({ paused: true });
    await temporal.startMachine(world);
    await temporal.until(() => world.condition('Paused')?.status === 'True');
    await temporal.endAll();
    world.change({ paused: false });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.called('launchInstance')).toBe(0);
  });
});
