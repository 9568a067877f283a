import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../k8s/model/labels.ts';
import { changedSignal } from '../../workflows/signals.ts';
import type { MachineSetKube, SetRequest } from '../unit/machine-set-kube.ts';
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

const refusing =
  (verb: SetRequest['verb'], name: string, error: KubeError = DENIED) =>
  (request: SetRequest): void => {
    if (request.verb === verb && request.name === name) throw error;
  };
const owned = (kube: MachineSetKube, name: string) =>
  kube.machines.get(name)?.metadata.ownerReferences?.some((o) => o.uid === kube.ref.uid) ?? false;

describe('a Machine that may not be deleted', () => {
  it.each([
    ['is denied', DENIED],
    ['meets a webhook that is down', BROKEN],
  ])(
    'does not stop its set where that %s: the others go, nobody goes in its stead, and the set names it',
    async (_why, error) => {
      const { kube, start } = setOf('stuck', { replicas: 1 });
      for (const name of ['m-0', 'm-1', 'm-2', 'm-3']) kube.add(name);
      for (const name of ['m-1', 'm-2', 'm-3'])
        kube.changeMachine(name, { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } });
      kube.onRequest = refusing('delete', 'm-1', error);
      const handle = await start();
      await temporal.until(() => kube.condition('MachinesDeleted') !== undefined);
      expect(kube.living).toEqual(['m-0', 'm-1']);
      expect(kube.condition('MachinesDeleted')).toMatchObject({
        status: 'False',
        reason: 'FailedDelete',
        message: expect.stringContaining('m-1'),
      });
      expect(kube.condition('MachinesDeleted')?.message).toContain(error.message);
      await temporal.pass(120);
      const tries = kube.asked('delete').filter((name) => name === 'm-1').length;
      expect(tries).toBeGreaterThan(2);
      expect(tries).toBeLessThan(8);
      expect(kube.living).toEqual(['m-0', 'm-1']);
      expect(kube.events.map((e) => e.reason)).toEqual(['FailedDelete']);

      kube.onRequest = () => {};
      await temporal.until(() => kube.living.length === 1, { within: 400, step: 5 });
      expect(kube.living).toEqual(['m-0']);
      await temporal.signal(handle, changedSignal);
      await temporal.until(() => kube.condition('MachinesDeleted') === undefined);
    },
  );

  it('holds up no later scaling, in either direction', async () => {
    const { kube, start } = setOf('later', { replicas: 3 });
    for (const name of ['m-0', 'm-1', 'm-2', 'm-3']) kube.add(name);
    kube.changeMachine('m-1', { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } });
    kube.onRequest = refusing('delete', 'm-1');
    const handle = await start();
    await temporal.until(() => kube.condition('MachinesDeleted') !== undefined);
    kube.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => kube.living.length === 2, { within: 3 });
    expect(kube.living).toContain('m-1');
    expect(kube.asked('delete').filter((name) => name === 'm-1')).toHaveLength(1);
    kube.change({ replicas: 4 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => kube.living.length === 4, { within: 3 });
    await temporal.until(() => kube.condition('MachinesDeleted') === undefined);
  });
});

it('a set that is woken again and again tries a refused Machine when its time has come, and not before', async () => {
  const { kube, start } = setOf('woken', { replicas: 1 });
  for (const name of ['m-0', 'm-1']) kube.add(name);
  kube.add('m-2', { ownerReferences: [] });
  kube.onRequest = ({ verb }) => {
    if (verb === 'delete' || verb === 'patch') throw DENIED;
  };
  const handle = await start();
  await temporal.until(() => kube.condition('MachinesDeleted') !== undefined);
  for (let i = 0; i < 3; i += 1) await temporal.signal(handle, changedSignal);
  await temporal.pass(1);
  expect([kube.asked('delete').length, kube.asked('patch').length]).toEqual([1, 1]);
  await temporal.pass(10);
  expect([kube.asked('delete').length, kube.asked('patch').length]).toEqual([2, 2]);
});

describe('a Machine that may not be patched', () => {
  it.each([
    ['is denied', DENIED],
    ['meets a webhook that is down', BROKEN],
  ])('is not adopted where that %s, the others are, and the set goes on and names it', async (_why, error) => {
    const { kube, start } = setOf('adopts', { replicas: 3 });
    for (const name of ['m-0', 'm-1']) kube.add(name, { ownerReferences: [] });
    kube.onRequest = refusing('patch', 'm-0', error);
    await start();
    await temporal.until(() => kube.condition('MachinesAdopted') !== undefined);
    await temporal.until(() => kube.machines.size === 3);
    expect(owned(kube, 'm-1')).toBe(true);
    expect(kube.condition('MachinesAdopted')).toMatchObject({
      status: 'False',
      reason: 'FailedAdopt',
      message: expect.stringContaining('m-0'),
    });
    await temporal.pass(60);
    expect(kube.machines.size).toBe(3);
    expect(kube.events.map((e) => e.reason)).toEqual(['FailedAdopt']);
    kube.onRequest = () => {};
    await temporal.until(() => owned(kube, 'm-0'), { within: 400, step: 5 });
    await temporal.until(() => kube.condition('MachinesAdopted') === undefined);
  });

  it('is not deleted as long as it is not the set’s', async () => {
    const { kube, start } = setOf('never', { replicas: 1 });
    kube.add('m-own');
    kube.add('m-orphan', { ownerReferences: [], annotations: { [DELETE_MACHINE_ANNOTATION]: '' } });
    kube.onRequest = refusing('patch', 'm-orphan');
    await start();
    await temporal.until(() => kube.set?.status?.observedGeneration === 1);
    await temporal.pass(30);
    expect(kube.asked('delete')).toEqual([]);
  });

  it('is not let go, the others are, and the set makes up for both', async () => {
    const { kube, start } = setOf('releases', { replicas: 2 });
    for (const name of ['m-0', 'm-1']) kube.add(name, { labels: { set: 'others' } });
    kube.onRequest = refusing('patch', 'm-0');
    await start();
    await temporal.until(() => kube.condition('MachinesReleased') !== undefined);
    await temporal.until(() => kube.machines.size === 4);
    expect([owned(kube, 'm-0'), owned(kube, 'm-1')]).toEqual([true, false]);
    expect(kube.condition('MachinesReleased')).toMatchObject({ reason: 'FailedRelease' });
  });

  it('is adopted once, where the answer to the first try was lost', async () => {
    const { kube, start } = setOf('lost', { replicas: 1 });
    kube.add('m-0', { ownerReferences: [] });
    let patches = 0;
    kube.onRequest = ({ verb }) => (verb === 'patch' && ++patches === 1 ? 'lost' : undefined);
    await start();
    await temporal.until(() => kube.condition('MachinesCreated') !== undefined);
    await temporal.pass(30);
    expect(kube.machines.get('m-0')?.metadata.ownerReferences).toHaveLength(1);
    expect(kube.condition('MachinesAdopted')).toBeUndefined();
  });
});

describe('a set whose requests fail as a whole', () => {
  it('says so where its Machines may not be looked at before they are deleted, and goes on by itself', async () => {
    const { kube, start } = setOf('blind', { replicas: 0 });
    kube.add('m-0');
    kube.onRequest = ({ verb, name }) => {
      if (verb === 'list' && name !== '') throw DENIED;
    };
    await start();
    await temporal.until(() => kube.condition('MachinesDeleted') !== undefined, { within: 60 });
    kube.onRequest = () => {};
    await temporal.until(() => kube.living.length === 0, { within: 400, step: 5 });
  });

  it('says so where a webhook that every new Machine meets is down, and asks for the same names again', async () => {
    const { kube, start } = setOf('down', { replicas: 2 });
    kube.onRequest = ({ verb }) => {
      if (verb === 'create') throw BROKEN;
    };
    await start();
    await temporal.until(() => kube.condition('MachinesCreated')?.status === 'False', { within: 60 });
    expect(kube.condition('MachinesCreated')?.message).toContain(BROKEN.message);
    expect(kube.events.map((e) => e.reason)).toEqual(['FailedCreate']);
    kube.onRequest = () => {};
    await temporal.until(() => kube.machines.size === 2, { within: 400, step: 5 });
    expect(new Set(kube.asked('create')).size).toBe(2);
    await temporal.until(() => kube.condition('MachinesCreated')?.status === 'True');
  });

  it('goes on where its status may not be written, and says that by an event', async () => {
    const { kube, start } = setOf('mute', { replicas: 1 });
    kube.onRequest = ({ verb }) => {
      if (verb === 'apply') throw DENIED;
    };
    const handle = await start();
    await temporal.until(() => kube.machines.size === 1);
    await temporal.until(() => kube.events.length > 0);
    kube.change({ replicas: 2 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => kube.machines.size === 2);
    await temporal.pass(30);
    expect(kube.events.map((e) => e.reason)).toEqual(['FailedStatusWrite']);
    kube.onRequest = () => {};
    await temporal.until(() => kube.set?.status?.replicas === 2, { within: 400, step: 5 });
    const looks = kube.asked('list').length;
    await temporal.pass(600);
    expect(kube.asked('list').length).toBeLessThanOrEqual(looks + 1);
  });

  it('tries to write its status when the time for that has come, however often it is woken', async () => {
    const { kube, start } = setOf('muted', { replicas: 0 });
    kube.onRequest = ({ verb }) => {
      if (verb === 'apply') throw DENIED;
    };
    const handle = await start();
    await temporal.until(() => kube.events.length > 0);
    const tries = kube.asked('apply').length;
    for (let i = 0; i < 3; i += 1) await temporal.signal(handle, changedSignal);
    await temporal.pass(1);
    expect(kube.asked('apply')).toHaveLength(tries);
    await temporal.until(() => kube.asked('apply').length > tries, { within: 10 });
  });

  it('looks again where its object changed right before the status was written, and says nothing', async () => {
    const { kube, start } = setOf('replaced', { replicas: 1 });
    let writes = 0;
    kube.onRequest = ({ verb }) => {
      if (verb === 'apply' && ++writes === 1) throw new KubeError(409, 'Conflict', 'another uid');
    };
    await start();
    await temporal.until(() => kube.set?.status?.replicas === 1, { within: 4 });
    expect(kube.events).toEqual([]);
  });
});
