import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../k8s/dialects/openshift/labels.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { answerLost, before, straight, type KubeRequest } from '../world/kubernetes/request.ts';
import type { SetWorld } from '../world/set-world.ts';
import { realMachineSet, type MachineSetSpec } from './real-machine-set.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const setOf = (name: string, spec: MachineSetSpec = {}) => realMachineSet(temporal, name, spec);

/** As an admission webhook says no. */
const DENIED = new KubeError(403, 'Forbidden', 'admission webhook "guard.example.com" denied the request');
/** As the API server says that a webhook did not answer. */
const BROKEN = new KubeError(500, 'InternalError', 'failed calling webhook "guard.example.com": connection refused');

const refusing = (verb: KubeRequest['verb'], name: string, error: KubeError = DENIED) =>
  before({ verb, name }, () => {
    throw error;
  });
const owned = (world: SetWorld, name: string) =>
  world.machine(name)?.metadata.ownerReferences?.some((o) => o.uid === world.ref.uid) ?? false;

describe('a Machine that may not be deleted', () => {
  it.each([
    ['is denied', DENIED],
    ['meets a webhook that is down', BROKEN],
  ])(
    'does not stop its set where that %s: the others go, nobody goes in its stead, and the set names it',
    async (_why, error) => {
      const { world, start } = setOf('stuck', { replicas: 1 });
      for (const name of ['m-0', 'm-1', 'm-2', 'm-3']) world.add(name);
      for (const name of ['m-1', 'm-2', 'm-3'])
        world.changeMachine(name, { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } });
      world.onRequest = refusing('delete', 'm-1', error);
      const handle = await start();
      await temporal.until(() => world.condition('MachinesDeleted') !== undefined);
      expect(world.living).toEqual(['m-0', 'm-1']);
      expect(world.condition('MachinesDeleted')).toMatchObject({
        status: 'False',
        reason: 'FailedDelete',
        message: expect.stringContaining('m-1'),
      });
      expect(world.condition('MachinesDeleted')?.message).toContain(error.message);
      await temporal.pass(120);
      const tries = world.asked('delete').filter((name) => name === 'm-1').length;
      expect(tries).toBeGreaterThan(2);
      expect(tries).toBeLessThan(8);
      expect(world.living).toEqual(['m-0', 'm-1']);
      expect(world.events.map((e) => e.reason)).toEqual(['FailedDelete']);

      world.onRequest = straight;
      await temporal.until(() => world.living.length === 1, { within: 400, step: 5 });
      expect(world.living).toEqual(['m-0']);
      await temporal.signal(handle, changedSignal);
      await temporal.until(() => world.condition('MachinesDeleted') === undefined);
    },
  );

  it('holds up no later scaling, in either direction', async () => {
    const { world, start } = setOf('later', { replicas: 3 });
    for (const name of ['m-0', 'm-1', 'm-2', 'm-3']) world.add(name);
    world.changeMachine('m-1', { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } });
    world.onRequest = refusing('delete', 'm-1');
    const handle = await start();
    await temporal.until(() => world.condition('MachinesDeleted') !== undefined);
    world.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.living.length === 2, { within: 3 });
    expect(world.living).toContain('m-1');
    expect(world.asked('delete').filter((name) => name === 'm-1')).toHaveLength(1);
    world.change({ replicas: 4 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.living.length === 4, { within: 3 });
    await temporal.until(() => world.condition('MachinesDeleted') === undefined);
  });
});

it('a set that is woken again and again tries a refused Machine when its time has come, and not before', async () => {
  const { world, start } = setOf('woken', { replicas: 1 });
  for (const name of ['m-0', 'm-1']) world.add(name);
  world.add('m-2', { ownerReferences: [] });
  world.onRequest = before({}, ({ verb }) => {
    if (verb === 'delete' || verb === 'mergePatch') throw DENIED;
  });
  const handle = await start();
  await temporal.until(() => world.condition('MachinesDeleted') !== undefined);
  for (let i = 0; i < 3; i += 1) await temporal.signal(handle, changedSignal);
  await temporal.pass(1);
  expect([world.asked('delete').length, world.asked('mergePatch').length]).toEqual([1, 2]);
  await temporal.pass(10);
  expect([world.asked('delete').length, world.asked('mergePatch').length]).toEqual([2, 4]);
});

describe('a Machine that may not be patched', () => {
  it.each([
    ['is denied', DENIED],
    ['meets a webhook that is down', BROKEN],
  ])('is not adopted where that %s, the others are, and the set goes on and names it', async (_why, error) => {
    const { world, start } = setOf('adopts', { replicas: 3 });
    for (const name of ['m-0', 'm-1']) world.add(name, { ownerReferences: [] });
    world.onRequest = refusing('mergePatch', 'm-0', error);
    await start();
    await temporal.until(() => world.condition('MachinesAdopted') !== undefined);
    await temporal.until(() => world.machines.length === 3);
    expect(owned(world, 'm-1')).toBe(true);
    expect(world.condition('MachinesAdopted')).toMatchObject({
      status: 'False',
      reason: 'FailedAdopt',
      message: expect.stringContaining('m-0'),
    });
    await temporal.pass(60);
    expect(world.machines.length).toBe(3);
    expect(world.events.map((e) => e.reason)).toEqual(['FailedAdopt']);
    world.onRequest = straight;
    await temporal.until(() => owned(world, 'm-0'), { within: 400, step: 5 });
    await temporal.until(() => world.condition('MachinesAdopted') === undefined);
  });

  it('is not deleted as long as it is not the set’s', async () => {
    const { world, start } = setOf('never', { replicas: 1 });
    world.add('m-own');
    world.add('m-orphan', { ownerReferences: [], annotations: { [DELETE_MACHINE_ANNOTATION]: '' } });
    world.onRequest = refusing('mergePatch', 'm-orphan');
    await start();
    await temporal.until(() => world.set?.status?.observedGeneration === 1);
    await temporal.pass(30);
    expect(world.asked('delete')).toEqual([]);
  });

  it('is not let go, the others are, and the set makes up for both', async () => {
    const { world, start } = setOf('releases', { replicas: 2 });
    for (const name of ['m-0', 'm-1']) world.add(name, { labels: { set: 'others' } });
    world.onRequest = refusing('mergePatch', 'm-0');
    await start();
    await temporal.until(() => world.condition('MachinesReleased') !== undefined);
    await temporal.until(() => world.machines.length === 4);
    expect([owned(world, 'm-0'), owned(world, 'm-1')]).toEqual([true, false]);
    expect(world.condition('MachinesReleased')).toMatchObject({ reason: 'FailedRelease' });
  });

  it('is adopted once, where the answer to the first try was lost', async () => {
    const { world, start } = setOf('lost', { replicas: 1 });
    world.add('m-0', { ownerReferences: [] });
    world.onRequest = answerLost({ verb: 'mergePatch', nth: 1 });
    await start();
    await temporal.until(() => world.condition('MachinesCreated') !== undefined);
    await temporal.pass(30);
    expect(world.machine('m-0')?.metadata.ownerReferences).toHaveLength(1);
    expect(world.condition('MachinesAdopted')).toBeUndefined();
  });
});

describe('a set whose requests fail as a whole', () => {
  it('says so where its Machines may not be looked at before they are deleted, and goes on by itself', async () => {
    const { world, start } = setOf('blind', { replicas: 0 });
    world.add('m-0');
    world.onRequest = before({ verb: 'list' }, ({ labelSelector }) => {
      if (labelSelector !== undefined) throw DENIED;
    });
    await start();
    await temporal.until(() => world.condition('MachinesDeleted') !== undefined, { within: 60 });
    world.onRequest = straight;
    await temporal.until(() => world.living.length === 0, { within: 400, step: 5 });
  });

  it('says so where a webhook that every new Machine meets is down, and asks for the same names again', async () => {
    const { world, start } = setOf('down', { replicas: 2 });
    world.onRequest = before({ verb: 'create' }, () => {
      throw BROKEN;
    });
    await start();
    await temporal.until(() => world.condition('MachinesCreated')?.status === 'False', { within: 60 });
    expect(world.condition('MachinesCreated')?.message).toContain(BROKEN.message);
    expect(world.events.map((e) => e.reason)).toEqual(['FailedCreate']);
    world.onRequest = straight;
    await temporal.until(() => world.machines.length === 2, { within: 400, step: 5 });
    expect(new Set(world.asked('create')).size).toBe(2);
    await temporal.until(() => world.condition('MachinesCreated')?.status === 'True');
  });

  it('asks for the same name again after a scale down and up: nobody knows whether there will be such a Machine', async () => {
    const { world, start } = setOf('flaps', { replicas: 1 });
    world.onRequest = before({ verb: 'create' }, () => {
      throw BROKEN;
    });
    const handle = await start();
    await temporal.until(() => world.condition('MachinesCreated')?.status === 'False', { within: 60 });
    world.change({ replicas: 0 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('MachinesCreated')?.status === 'True', { within: 60 });
    world.onRequest = straight;
    world.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.machines.length === 1, { within: 60 });
    expect(new Set(world.asked('create')).size).toBe(1);
  });

  it('goes on where its status may not be written, and says that by an event', async () => {
    const { world, start } = setOf('mute', { replicas: 1 });
    world.onRequest = before({ verb: 'apply' }, () => {
      throw DENIED;
    });
    const handle = await start();
    await temporal.until(() => world.machines.length === 1);
    await temporal.until(() => world.events.length > 0);
    world.change({ replicas: 2 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.machines.length === 2);
    await temporal.pass(30);
    expect(world.events.map((e) => e.reason)).toEqual(['FailedStatusWrite', 'ReplicasChanged']);
    world.onRequest = straight;
    await temporal.until(() => world.set?.status?.replicas === 2, { within: 400, step: 5 });
    const looks = world.asked('list').length;
    await temporal.pass(600);
    expect(world.asked('list').length).toBeLessThanOrEqual(looks + 1);
  });

  it('tries to write its status when the time for that has come, however often it is woken', async () => {
    const { world, start } = setOf('muted', { replicas: 0 });
    world.onRequest = before({ verb: 'apply' }, () => {
      throw DENIED;
    });
    const handle = await start();
    await temporal.until(() => world.events.length > 0);
    const tries = world.asked('apply').length;
    for (let i = 0; i < 3; i += 1) await temporal.signal(handle, changedSignal);
    await temporal.pass(1);
    expect(world.asked('apply')).toHaveLength(tries);
    await temporal.until(() => world.asked('apply').length > tries, { within: 10 });
  });

  it('looks again where its object changed right before the status was written, and says nothing', async () => {
    const { world, start } = setOf('replaced', { replicas: 1 });
    world.onRequest = before({ verb: 'apply', nth: 1 }, () => {
      throw new KubeError(409, 'Conflict', 'another version');
    });
    await start();
    await temporal.until(() => world.set?.status?.replicas === 1, { within: 4 });
    expect(world.events).toEqual([]);
  });
});
