import { describe, expect, it } from '@jest/globals';
import type { MachineSet } from '../../k8s/model/machine-set.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { MachineSetWorld } from './machine-set-world.ts';
import { realMachineSet } from './real-machine-set.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

function worldOf(name: string, set: Partial<MachineSet> = {}) {
  const world = new MachineSetWorld(name, temporal.now, set);
  const ref = world.set?.ref;
  if (ref === undefined) throw new Error('a new world has a set');
  return { world, start: () => temporal.startMachineSet(world, ref) };
}

describe('a MachineSet', () => {
  it('creates as many Machines as it is asked for, and says so in its status', async () => {
    const { world, start } = worldOf('grows');
    await start();
    await temporal.until(() => world.status.replicas === 3);
    expect(world.creations.flatMap((c) => c.names)).toHaveLength(3);
    expect(world.surveys.flatMap((s) => s.issued)).toEqual([]);
    expect(world.status).toMatchObject({ labelSelector: 'set=workers', observedGeneration: 1 });
  });

  it('asks for the same names again when the answer to a creation was lost, and never has more than it should', async () => {
    const { world, start } = worldOf('loses-answers');
    world.fateOf = (call) => (call <= 2 ? 'lost' : 'created');
    const handle = await start();
    await temporal.until(() => world.status.replicas === 3);
    await temporal.pass(60);
    expect(world.mostActive).toBe(3);
    expect(world.surveys.some((s) => s.issued.length === 3)).toBe(true);
    const looks = world.surveys.length;
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.surveys.length > looks);
    expect(world.surveys.at(-1)?.issued).toEqual([]);
  });

  it('backs off when the API server refuses a Machine, tells the refusal, and goes on by itself', async () => {
    const { world, start } = worldOf('refused');
    world.fateOf = (call) => (call <= 3 ? { message: 'Forbidden: exceeded quota' } : 'created');
    await start();
    await temporal.until(() => world.status.error !== undefined);
    expect(world.status.error).toEqual({ reason: 'CreateError', message: 'Forbidden: exceeded quota' });
    await temporal.until(() => world.status.replicas === 3, { within: 120 });
    const waits = world.creations.slice(1).map((c, i) => (c.at - (world.creations[i]?.at ?? 0)) / 1000);
    [5, 10, 20].forEach((least, i) => expect(waits[i]).toBeGreaterThanOrEqual(least));
    expect(world.status.error).toBeUndefined();
    expect(world.events.map((e) => e.reason)).toEqual(['FailedCreate']);
  });

  it('does nothing while it is paused, and catches up afterwards', async () => {
    const { world, start } = worldOf('paused', { paused: true });
    const handle = await start();
    await temporal.until(() => world.status.conditions?.some((c) => c.type === 'Paused') === true);
    await temporal.pass(3600);
    expect(world.creations).toHaveLength(0);
    world.change({ paused: false });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.replicas === 3);
    expect(world.status.conditions?.map((c) => c.type)).toEqual(['MachinesCreated']);
  });

  it('asks for nothing while it is being deleted: the garbage collector takes its Machines', async () => {
    const { world, start } = worldOf('leaves', { deletedAt: '2026-01-02T00:00:00Z' });
    world.add('one', { controller: 'uid-of-leaves' });
    await start();
    await temporal.pass(60);
    expect(world.surveys).toHaveLength(1);
    expect(world.creations).toEqual([]);
  });

  it('follows a scale down, and a scale up right after it, without ever exceeding what was asked', async () => {
    const { world, start } = worldOf('scales', { replicas: 5 });
    const handle = await start();
    await temporal.until(() => world.active.length === 5);
    world.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.active.length === 1);
    world.change({ replicas: 5 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.replicas === 5 && world.active.length === 5);
    expect(world.mostActive).toBe(5);
  });

  it('goes on at once with deletions for which time was up', async () => {
    const { world, start } = worldOf('pauses-for-breath', { replicas: 1 });
    for (const name of ['a', 'b', 'c', 'd']) world.add(name, { controller: 'uid-of-pauses-for-breath' });
    world.deletionsAtOnce = 1;
    await start();
    await temporal.until(() => world.active.length === 1, { within: 5 });
  });

  it('keeps a place for a deleted Machine until its instance is asked to end', async () => {
    const { world, start } = worldOf('holds', { replicas: 1 });
    world.add('leaving', { controller: 'uid-of-holds', deleting: true, holdsPlace: true });
    await start();
    await temporal.until(() => world.status.observedGeneration === 1);
    await temporal.pass(60);
    expect(world.active).toHaveLength(0);
    world.update('leaving', { holdsPlace: false });
    await temporal.until(() => world.active.length === 1, { within: 20 });
  });

  it('adopts what its selector selects and lets go of what it no longer does', async () => {
    const { world, start } = worldOf('adopts', { replicas: 1 });
    world.add('orphan');
    world.add('strayed', { controller: 'uid-of-adopts', labels: { set: 'others' } });
    await start();
    await temporal.until(() => world.machines.find((m) => m.name === 'orphan')?.controller === 'uid-of-adopts');
    expect(world.machines.find((m) => m.name === 'strayed')?.controller).toBeUndefined();
    expect(world.creations).toHaveLength(0);
  });

  it('counts a Machine as available minReadySeconds after it became ready, without a signal', async () => {
    const { world, start } = worldOf('ripens', { replicas: 1, minReadySeconds: 60 });
    const readySince = new Date(await temporal.now()).toISOString();
    world.add('one', { controller: 'uid-of-ripens', hasNode: true, readySince });
    await start();
    await temporal.until(() => world.status.readyReplicas === 1);
    expect(world.status.availableReplicas).toBe(0);
    await temporal.until(() => world.status.availableReplicas === 1, { within: 70 });
  });

  it('sleeps when all is as it should be, and ends with its object', async () => {
    const { world, start } = worldOf('sleeps');
    const handle = await start();
    await temporal.until(() => world.status.replicas === 3);
    await temporal.pass(2);
    const surveys = world.surveys.length;
    await temporal.pass(3600);
    expect(world.surveys).toHaveLength(surveys);
    world.set = undefined;
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
  });
});

describe('a stored MachineSet that is not what its schema allows', () => {
  it('is left alone and told so once, goes on when it is mended, and is told of anew', async () => {
    const { world, start } = realMachineSet(temporal, 'mended', { replicas: 1 });
    const malform = () => world.change({ replicas: 'many' });
    malform();
    world.add('m-0');
    world.add('m-1');
    const handle = await start();
    await temporal.until(() => world.events.length === 1);
    await temporal.signal(handle, changedSignal);
    await temporal.pass(3600);
    expect(world.events.map((e) => e.reason)).toEqual(['FailedValidate']);
    expect(world.requests.filter(({ verb }) => verb !== 'get').map(({ resource }) => resource.plural)).toEqual([
      'events',
    ]);
    world.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.living.length === 1);
    malform();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.events.length === 2);
  });
});
