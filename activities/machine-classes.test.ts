import { describe, expect, test } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { MACHINE_CLASS_FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import { MACHINE_CLASSES } from '../k8s/dialects/openshift/resources.ts';
import { given } from '../providers/given.ts';
import { aMachineClass, type MachineClassFacts } from '../test/world/builders/a-machine-class.ts';
import { aMachineSet } from '../test/world/builders/a-machine-set.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { MADE_AT } from '../test/world/builders/metadata.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { before, isWrite } from '../test/world/kubernetes/request.ts';
import { ObjectWorld } from '../test/world/object-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID } from '../test/world/world.ts';
import type { FoundClass } from '../workflows/machine-class/machine-class-activities.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';

const LEAVING = { deletionTimestamp: MADE_AT, finalizers: ['example.com/other', MACHINE_CLASS_FINALIZER] };

function classOf(facts: MachineClassFacts = {}) {
  const world = new ObjectWorld(ownClock(), { resource: MACHINE_CLASSES, object: aMachineClass(facts) });
  return { world, target: { ref: world.ref, clusterUid: CLUSTER_UID }, activities: world.activities };
}

const setOf = (name: string, machineClass: string) =>
  aMachineSet({
    name,
    spec: { template: { spec: { providerSpec: { valueFrom: { machineClass: { name: machineClass } } } } } },
  });

const refusing = (...refusal: ConstructorParameters<typeof KubeError>) =>
  before({}, (request) => {
    if (isWrite(request)) throw new KubeError(...refusal);
  });
/** As an admission policy does by default. */
const INVALID = [422, 'Invalid', 'a class has to have a team'] as const;
const REFUSING = refusing(...INVALID);

describe('a look at a class', () => {
  test('counts the Machines and sets of its namespace that refer to it, and names the first', async () => {
    const { world, target, activities } = classOf();
    for (const name of ['m6', 'm2', 'm3', 'm4', 'm5', 'm1']) world.kube.put(aMachine({ name, machineClass: 'medium' }));
    world.kube.put(
      aMachine({ name: 'other', machineClass: 'large' }),
      aMachine({ name: 'of-its-own' }),
      aMachine({ name: 'elsewhere', namespace: 'elsewhere', machineClass: 'medium' }),
      setOf('workers', 'medium'),
      setOf('others', 'large'),
    );
    expect(await activities.lookAtMachineClass(target)).toMatchObject({
      found: true,
      isDeleting: false,
      isHeld: false,
      machines: { kind: 'Machine', count: 6, names: ['m1', 'm2', 'm3', 'm4', 'm5'] },
      machineSets: { kind: 'MachineSet', count: 1, names: ['workers'] },
    });
  });

  test('tells what is wrong with it, also where it is malformed', async () => {
    const { world, target, activities } = classOf({ provider: 'unknown' });
    expect(await activities.lookAtMachineClass(target)).toMatchObject({ problem: expect.stringContaining('unknown') });
    world.kube.put(spoiled(aMachineClass(), { providerSpec: 'x' }));
    expect(await activities.lookAtMachineClass(target)).toMatchObject({
      problem: expect.stringContaining('providerSpec'),
    });
  });

  test('finds none where it is gone, or another one has its name', async () => {
    const { world, target, activities } = classOf();
    world.kube.put(aMachineClass({ metadata: { uid: 'another' } }));
    expect(await activities.lookAtMachineClass(target)).toEqual({ found: false });
    world.lose();
    expect(await activities.lookAtMachineClass(target)).toEqual({ found: false });
  });
});

describe('holding a class', () => {
  test('puts our finalizer on it', async () => {
    const { world, target, activities } = classOf();
    await activities.holdMachineClass(target);
    expect(world.stored?.metadata.finalizers).toEqual([MACHINE_CLASS_FINALIZER]);
  });

  test.each([
    ['is being deleted', { metadata: { deletionTimestamp: MADE_AT, finalizers: ['example.com/other'] } }],
    ['is another one', { metadata: { uid: 'another' } }],
  ])('means another look where it %s by now', async (_how, facts) => {
    const { world, target, activities } = classOf();
    world.kube.put(aMachineClass(facts));
    await expect(activities.holdMachineClass(target)).rejects.toMatchObject({ type: OBJECT_CHANGED });
  });

  test('means another look where it is on by now', async () => {
    const { world, target, activities } = classOf();
    world.onRequest = before({ verb: 'apply' }, () => {
      world.kube.put(aMachineClass({ metadata: { finalizers: [MACHINE_CLASS_FINALIZER] } }));
      throw new KubeError(...INVALID);
    });
    await expect(activities.holdMachineClass(target)).rejects.toMatchObject({ type: OBJECT_CHANGED });
  });

  test.each<[string, MachineClassFacts]>([
    ['none', {}],
    ['another finalizer', { metadata: { finalizers: ['example.com/other'] } }],
  ])('fails where it has %s and somebody’s rule refuses it: no other look mends that', async (_what, facts) => {
    const { world, target, activities } = classOf(facts);
    world.onRequest = REFUSING;
    await expect(activities.holdMachineClass(target)).rejects.toMatchObject({ status: 422 });
  });
});

describe('letting a class go', () => {
  test('takes off our finalizer and no other, and is safe to repeat', async () => {
    const { world, target, activities } = classOf({ metadata: LEAVING });
    await activities.releaseMachineClass(target);
    expect(world.stored?.metadata.finalizers).toEqual(['example.com/other']);
    await activities.releaseMachineClass(target);
    expect(world.writes).toHaveLength(1);
    world.lose();
    await activities.releaseMachineClass(target);
  });

  test('leaves one of the same name alone', async () => {
    const { world, target, activities } = classOf();
    world.kube.put(aMachineClass({ metadata: { ...LEAVING, uid: 'another' } }));
    await activities.releaseMachineClass(target);
    expect(world.writes).toEqual([]);
  });

  test.each<[string, Partial<typeof LEAVING> & { readonly uid?: string }]>([
    ['it is another one', { uid: 'another' }],
    ['somebody else’s finalizer is where ours was', { finalizers: [MACHINE_CLASS_FINALIZER, 'example.com/third'] }],
  ])('means another look, and changes nothing, where %s by now', async (_how, facts) => {
    const { world, target, activities } = classOf({ metadata: LEAVING });
    const metadata = { ...LEAVING, ...facts };
    world.onRequest = before({ verb: 'jsonPatch' }, () => world.kube.put(aMachineClass({ metadata })));
    await expect(activities.releaseMachineClass(target)).rejects.toMatchObject({ type: OBJECT_CHANGED });
    expect(world.stored?.metadata.finalizers).toEqual(metadata.finalizers);
  });

  test('fails where somebody’s rule refuses it', async () => {
    const { world, target, activities } = classOf({ metadata: LEAVING });
    world.onRequest = REFUSING;
    await expect(activities.releaseMachineClass(target)).rejects.toMatchObject({ status: 422 });
  });

  test('fails where it is refused', async () => {
    const { world, target, activities } = classOf({ metadata: LEAVING });
    world.onRequest = refusing(403, 'Forbidden', 'you may not');
    await expect(activities.releaseMachineClass(target)).rejects.toThrow('you may not');
  });
});

test('the status of a class is written with its events, and conditions of others stay', async () => {
  const { world, target, activities } = classOf();
  const theirs = { type: 'Theirs', status: 'True', lastTransitionTime: MADE_AT } as const;
  world.change((stored) => ({ ...stored, status: { conditions: [theirs] } }));
  const status = { machines: 2, machineSets: 1, observedGeneration: 1, conditions: [] };
  const events = [{ type: 'Normal', reason: 'InUse', message: 'm' }] as const;
  await activities.writeMachineClassStatus({ ...target, status, events });
  expect(world.status).toMatchObject({ machines: 2, machineSets: 1, conditions: [theirs] });
  expect(world.events).toMatchObject([{ reason: 'InUse', involvedObject: world.ref }]);
});

test('the status of a class is not taken back by a worker that stood still since its look', async () => {
  const { world, target, activities } = classOf();
  const { seen } = (await activities.lookAtMachineClass(target)) as FoundClass;
  const status = { machines: 2, machineSets: 1, observedGeneration: 1, conditions: [] };
  const write = (machines: number) =>
    activities.writeMachineClassStatus({ ...target, status: { ...status, machines }, events: [], ...given({ seen }) });
  await write(2);
  await activities.lookAtMachineClass(target);
  await expect(write(1)).rejects.toMatchObject({ type: OBJECT_CHANGED });
  expect(world.status).toMatchObject({ machines: 2 });
});

test('a worker of another cluster touches no class', async () => {
  const { world, target, activities } = classOf({ metadata: LEAVING });
  const foreign = { ...target, clusterUid: 'another' };
  const status = { machines: 0, machineSets: 0, observedGeneration: 1, conditions: [] };
  for (const call of [
    () => activities.lookAtMachineClass(foreign),
    () => activities.holdMachineClass(foreign),
    () => activities.releaseMachineClass(foreign),
    () => activities.writeMachineClassStatus({ ...foreign, status, events: [] }),
  ]) {
    await expect(call()).rejects.toMatchObject({ type: 'ForeignCluster' });
  }
  expect(world.writes).toEqual([]);
});
