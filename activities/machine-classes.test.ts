import { APIS } from '../k8s/dialects/registry.ts';
import { describe, expect, test } from '@jest/globals';
import type { MachineClassObject } from '../k8s/api/machine-class.ts';
import { openshift } from '../k8s/dialects/openshift/api.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { MACHINE_CLASS_FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import type { MachineSpec } from '../k8s/model/machine.ts';
import type { ObjectMeta } from '../k8s/object-meta.ts';
import { MACHINE_CLASSES } from '../k8s/resources.ts';
import { aMachineClass } from '../test/world/builders/a-machine-class.ts';
import { aMachineSet } from '../test/world/builders/a-machine-set.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { MADE_AT } from '../test/world/builders/metadata.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { ApiServer } from '../test/world/kubernetes/api-server.ts';
import type { GivenObject } from '../test/world/kubernetes/registry.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { systemClock } from '../providers/clock.ts';
import type { ObjectEvent } from '../workflows/event-activities.ts';
import { createHoldMachineClass, tendMachineClasses } from './machine-classes.ts';

const PLACE = { namespace: 'ns' };
const STORED = aMachineClass({ metadata: PLACE });
const CLASS = openshift.machineClass.read(STORED).machineClass;
const SPEC: MachineSpec = { providerSpec: {}, nodeLabels: {}, nodeAnnotations: {}, nodeTaints: [] };
const LEAVING = { ...PLACE, deletionTimestamp: MADE_AT, finalizers: ['example.com/other', MACHINE_CLASS_FINALIZER] };

/** Kubernetes with these objects, and what is told by events; writes may be refused. */
function world(objects: readonly GivenObject[] = [], failure?: KubeError) {
  const server = new ApiServer({ garbage: 'when told' });
  server.put(...objects);
  const { version } = server.store;
  const lists: string[] = [];
  const writes: string[] = [];
  server.onRequest = before({}, ({ verb, resource, name }) => {
    if (verb === 'list') lists.push(resource.kind);
    else if (verb !== 'get') {
      if (failure !== undefined) throw failure;
      writes.push(`${resource.kind} ${name}`);
    }
  });
  const events: ObjectEvent[] = [];
  const recorder = { record: async (_ref: unknown, event: ObjectEvent) => void events.push(event) };
  const classNamed = (name: string) => server.peek(MACHINE_CLASSES, 'ns', name) as MachineClassObject | undefined;
  const deps = { kube: server.client, apis: APIS, events: recorder, clock: systemClock };
  return {
    deps,
    hold: createHoldMachineClass(deps),
    server,
    events,
    lists,
    /** The kind and the name of what was written, once for each request. */
    writes,
    isUntouched: () => server.store.version === version,
    finalizers: (name: string) => classNamed(name)?.metadata.finalizers,
    inUse: (name: string) => classNamed(name)?.status?.conditions?.find(({ type }) => type === 'InUse'),
  };
}

const leaving = (name: string) => aMachineClass({ name, metadata: LEAVING });
const machineOf = (name: string, machineClass: string, metadata: Partial<ObjectMeta> = {}) =>
  aMachine({ name, machineClass, metadata: { ...PLACE, ...metadata } });
const setOf = (name: string, machineClass: string) =>
  aMachineSet({
    name,
    metadata: PLACE,
    spec: { template: { spec: { providerSpec: { valueFrom: { machineClass: { name: machineClass } } } } } },
  });

describe('a launch that is prepared from a class', () => {
  test('holds the class by its uid before anything else, once', async () => {
    const { hold, writes, finalizers } = world([STORED]);
    expect(await hold({ ...SPEC, machineClass: CLASS })).toBeUndefined();
    expect(finalizers('medium')).toEqual([MACHINE_CLASS_FINALIZER]);
    await hold({ ...SPEC, machineClass: { ...CLASS, hasFinalizer: true } });
    await hold(SPEC);
    expect(writes).toHaveLength(1);
  });

  test('shares one write with all that are prepared at the same time', async () => {
    const { hold, writes } = world([STORED]);
    await Promise.all([1, 2, 3].map(() => hold({ ...SPEC, machineClass: CLASS })));
    expect(writes).toHaveLength(1);
  });

  test('waits where the class is being deleted, also where it is held', async () => {
    const { hold, isUntouched } = world([leaving('medium')]);
    const { machineClass } = openshift.machineClass.read(leaving('medium'));
    expect(await hold({ ...SPEC, machineClass })).toEqual({
      outcome: 'missing',
      reason: 'MachineClassDeleting',
      message:
        'providerSpec.valueFrom.machineClass.name: MachineClass ns/medium is being deleted: nothing more is launched from it',
    });
    expect(isUntouched()).toBe(true);
  });

  test('waits where there is no spec, and says why', async () => {
    const problem = { reason: 'MachineClassMissing', field: 'f', message: 'MachineClass ns/x does not exist' } as const;
    expect(await world().hold({ ...SPEC, problem })).toEqual({
      outcome: 'missing',
      reason: 'MachineClassMissing',
      message: 'f: MachineClass ns/x does not exist',
    });
  });

  test.each<[string, GivenObject[]]>([
    ['is gone', []],
    ['is another one', [aMachineClass({ metadata: { ...PLACE, uid: 'another' } })]],
    ['is being deleted', [aMachineClass({ metadata: { ...LEAVING, finalizers: ['example.com/other'] } })]],
  ])('looks again where the class %s by now', async (_how, objects) => {
    const { hold, isUntouched } = world(objects);
    await expect(hold({ ...SPEC, machineClass: CLASS })).rejects.toMatchObject({
      type: 'ObjectChanged',
    });
    expect(isUntouched()).toBe(true);
  });
});

describe('letting classes go', () => {
  test('costs one list and no write where none is being deleted', async () => {
    const held = aMachineClass({ metadata: { ...PLACE, finalizers: [MACHINE_CLASS_FINALIZER] } });
    const { deps, isUntouched, lists } = world([held]);
    expect(await tendMachineClasses(deps)).toEqual({ released: 0, kept: 0, held: 0, problems: [] });
    expect(isUntouched()).toBe(true);
    expect(lists).toEqual(['MachineClass']);
  });

  test('takes off our finalizer and no other where nothing refers to the class', async () => {
    const elsewhere = { namespace: 'elsewhere' };
    const { deps, finalizers } = world([
      leaving('medium'),
      machineOf('m', 'large'),
      machineOf('n', 'medium', elsewhere),
    ]);
    expect(await tendMachineClasses(deps)).toMatchObject({ released: 1, kept: 0, problems: [] });
    expect(finalizers('medium')).toEqual(['example.com/other']);
  });

  test('keeps one that a Machine or the template of a set refers to, and tells of whom once', async () => {
    const machines = ['m6', 'm2', 'm3', 'm4', 'm5', 'm1'].map((name) => machineOf(name, 'medium'));
    const deletedToo = { deletionTimestamp: MADE_AT };
    const others = [setOf('workers', 'medium'), machineOf('last', 'small', deletedToo)];
    const { deps, inUse, events, server } = world([leaving('medium'), leaving('small'), ...machines, ...others]);
    expect(await tendMachineClasses(deps)).toMatchObject({ released: 0, kept: 2, problems: [] });
    const message =
      'it is deleted when nothing refers to it any more: 6 Machines (m1, m2, m3, m4, m5, …) and 1 MachineSet (workers)';
    expect(inUse('medium')).toMatchObject({ status: 'True', message });
    expect(inUse('small')?.message).toContain('1 Machine (last)');
    expect(events).toHaveLength(2);

    const { version } = server.store;
    expect(await tendMachineClasses(deps)).toMatchObject({ released: 0, kept: 2 });
    expect(server.store.version).toBe(version);
    expect(events).toHaveLength(2);
  });

  test('tells it on no other class of the name that came right before, and on one that somebody changed', async () => {
    const objects = [leaving('medium'), machineOf('m', 'medium')];
    const tendAfter = async (change: Partial<ObjectMeta>) => {
      const it = world(objects);
      it.server.onRequest = before({ verb: 'apply', nth: 1 }, () =>
        it.server.put(aMachineClass({ name: 'medium', metadata: { ...LEAVING, ...change } })),
      );
      await tendMachineClasses(it.deps);
      return it;
    };
    const replaced = await tendAfter({ uid: 'another' });
    expect([replaced.inUse('medium'), replaced.events]).toEqual([undefined, []]);
    const changed = await tendAfter({ labels: { theirs: '' } });
    expect(changed.inUse('medium')).toMatchObject({ status: 'True' });
    expect(changed.events).toHaveLength(1);
  });
});

describe('holding the classes in use', () => {
  const unheld = (name: string) => aMachineClass({ name, metadata: PLACE });

  test('holds one that a Machine refers to which was never launched here, and none that only a set does', async () => {
    const { deps, writes, finalizers } = world([
      unheld('medium'),
      unheld('small'),
      aMachineClass({ name: 'large', metadata: { ...LEAVING, finalizers: ['example.com/other'] } }),
      machineOf('adopted', 'medium'),
      machineOf('another', 'medium'),
      machineOf('late', 'large'),
      machineOf('elsewhere', 'small', { namespace: 'elsewhere' }),
      setOf('workers', 'small'),
    ]);
    expect(await tendMachineClasses(deps)).toEqual({ released: 0, kept: 0, held: 1, problems: [] });
    expect(writes).toEqual(['MachineClass medium']);
    expect(finalizers('medium')).toEqual([MACHINE_CLASS_FINALIZER]);
  });

  test('lists no sets where no class is being deleted', async () => {
    const { deps, lists } = world([unheld('medium')]);
    await tendMachineClasses(deps);
    expect(lists).toEqual(['MachineClass', 'Machine']);
  });

  test('tells of every one that cannot be written, and overlooks one that changed meanwhile', async () => {
    const objects = [unheld('medium'), leaving('small'), machineOf('m', 'medium')];
    const refused = await tendMachineClasses(world(objects, new KubeError(403, 'Forbidden', 'you may not')).deps);
    expect(refused).toEqual({
      released: 0,
      kept: 0,
      held: 0,
      problems: ['MachineClass ns/small: you may not', 'MachineClass ns/medium: you may not'],
    });
    const changed = await tendMachineClasses(world(objects, new KubeError(409, 'Conflict', 'changed')).deps);
    expect(changed.problems).toEqual([]);
  });

  test('reads malformed classes as well: nobody is kept from deleting one', async () => {
    const broken = { provider: 7, providerSpec: 'x', secretRef: null, status: { conditions: 'x' } };
    const { deps } = world([spoiled(leaving('small'), broken), spoiled(unheld('medium'), broken)]);
    expect(await tendMachineClasses(deps)).toMatchObject({ released: 1, held: 0, problems: [] });
  });
});
