import { describe, expect, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { MACHINE_CLASS_FINALIZER } from '../k8s/model/labels.ts';
import type { MachineClass } from '../k8s/model/machine-class.ts';
import type { MachineSpec } from '../k8s/model/machine.ts';
import type { Resource } from '../k8s/resources.ts';
import type { MachineEvent } from '../workflows/machine/machine-activities.ts';
import { holdMachineClass, tendMachineClasses } from './machine-classes.ts';

const API = 'machine.openshift.io/v1beta1';
const NOW = '2026-01-01T00:00:00Z';
const CLASS: MachineClass = {
  ref: { apiVersion: API, kind: 'MachineClass', namespace: 'ns', name: 'medium', uid: 'uid-medium' },
  generation: 1,
  hasFinalizer: false,
  provider: 'simulated',
  providerSpec: {},
  conditions: [],
};
const SPEC: MachineSpec = { providerSpec: {}, nodeLabels: {}, nodeAnnotations: {}, nodeTaints: [] };

/** Kubernetes with these objects; what is written is noted, and a failure may be given in its place. */
function fakeKube(objects: readonly { kind: string; metadata: object }[] = [], failure?: KubeError) {
  const writes: string[] = [];
  const write = async (what: string, body: unknown): Promise<unknown> => {
    if (failure !== undefined) throw failure;
    writes.push(`${what} ${JSON.stringify(body)}`);
    return {};
  };
  const lists: string[] = [];
  const kube = {
    list: async ({ kind }: Resource) => {
      lists.push(kind);
      return { items: objects.filter((object) => object.kind === kind), resourceVersion: '' };
    },
    get: async ({ kind }: Resource, _namespace: string, name: string) =>
      objects.find((object) => object.kind === kind && (object.metadata as { name: string }).name === name),
    apply: ({ kind }: Resource, _namespace: string, name: string, body: object) => write(`apply ${kind} ${name}`, body),
    jsonPatch: ({ kind }: Resource, _namespace: string, name: string, body: object) =>
      write(`patch ${kind} ${name}`, body),
  } as unknown as KubeClient;
  const events: MachineEvent[] = [];
  const recorder = { record: async (_ref: unknown, event: MachineEvent) => void events.push(event) };
  return { deps: { kube, events: recorder }, writes, events, lists };
}

function stored(kind: string, name: string, metadata: object, parts: object = {}) {
  return {
    apiVersion: API,
    kind,
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, generation: 1, creationTimestamp: NOW, ...metadata },
    ...parts,
  };
}

const leaving = (name: string, parts: object = {}) =>
  stored(
    'MachineClass',
    name,
    { deletionTimestamp: NOW, finalizers: ['other', MACHINE_CLASS_FINALIZER] },
    { provider: 'simulated', providerSpec: {}, ...parts },
  );
const providerSpec = (name: string) => ({ valueFrom: { machineClass: { name } } });
const machineOf = (name: string, machineClass: string, metadata: object = {}) =>
  stored('Machine', name, metadata, { spec: { providerSpec: providerSpec(machineClass) } });
const setOf = (name: string, machineClass: string) =>
  stored(
    'MachineSet',
    name,
    {},
    { spec: { selector: {}, template: { spec: { providerSpec: providerSpec(machineClass) } } } },
  );

describe('a launch that is prepared from a class', () => {
  test('holds the class by its uid before anything else, once', async () => {
    const { deps, writes } = fakeKube();
    expect(await holdMachineClass(deps, { ...SPEC, machineClass: CLASS })).toBeUndefined();
    expect(writes).toEqual([
      `apply MachineClass medium {"metadata":{"uid":"uid-medium","finalizers":["${MACHINE_CLASS_FINALIZER}"]}}`,
    ]);
    await holdMachineClass(deps, { ...SPEC, machineClass: { ...CLASS, hasFinalizer: true } });
    await holdMachineClass(deps, SPEC);
    expect(writes).toHaveLength(1);
  });

  test('shares one write with all that are prepared at the same time', async () => {
    const { deps, writes } = fakeKube();
    await Promise.all([1, 2, 3].map(() => holdMachineClass(deps, { ...SPEC, machineClass: CLASS })));
    expect(writes).toHaveLength(1);
  });

  test('waits where the class is being deleted, also where it is held', async () => {
    const { deps, writes } = fakeKube();
    const machineClass = { ...CLASS, hasFinalizer: true, deletedAt: NOW };
    expect(await holdMachineClass(deps, { ...SPEC, machineClass })).toEqual({
      outcome: 'missing',
      reason: 'MachineClassDeleting',
      message:
        'providerSpec.valueFrom.machineClass.name: MachineClass ns/medium is being deleted: nothing more is launched from it',
    });
    expect(writes).toEqual([]);
  });

  test('waits where there is no spec, and says why', async () => {
    const problem = { reason: 'MachineClassMissing', field: 'f', message: 'MachineClass ns/x does not exist' } as const;
    expect(await holdMachineClass(fakeKube().deps, { ...SPEC, problem })).toEqual({
      outcome: 'missing',
      reason: 'MachineClassMissing',
      message: 'f: MachineClass ns/x does not exist',
    });
  });

  test.each([409, 422])('looks again where the class changed meanwhile (%s)', async (status) => {
    const { deps } = fakeKube([], new KubeError(status, 'Conflict', 'no'));
    await expect(holdMachineClass(deps, { ...SPEC, machineClass: CLASS })).rejects.toMatchObject({
      type: 'ObjectChanged',
    });
  });
});

describe('letting classes go', () => {
  test('costs one list and no write where none is being deleted', async () => {
    const held = stored(
      'MachineClass',
      'held',
      { finalizers: [MACHINE_CLASS_FINALIZER] },
      { provider: 'p', providerSpec: {} },
    );
    const { deps, writes, lists } = fakeKube([held]);
    expect(await tendMachineClasses(deps)).toEqual({ released: 0, kept: 0, held: 0, problems: [] });
    expect(writes).toEqual([]);
    expect(lists).toEqual(['MachineClass']);
  });

  test('takes off our finalizer and no other where nothing refers to the class', async () => {
    const elsewhere = { namespace: 'elsewhere' };
    const { deps, writes } = fakeKube([
      leaving('medium'),
      machineOf('m', 'large'),
      machineOf('n', 'medium', elsewhere),
    ]);
    expect(await tendMachineClasses(deps)).toMatchObject({ released: 1, kept: 0, problems: [] });
    expect(writes).toEqual([
      `patch MachineClass medium [{"op":"test","path":"/metadata/uid","value":"uid-medium"},` +
        `{"op":"test","path":"/metadata/finalizers/1","value":"${MACHINE_CLASS_FINALIZER}"},` +
        `{"op":"remove","path":"/metadata/finalizers/1"}]`,
    ]);
  });

  test('keeps one that a Machine or the template of a set refers to, and tells of whom once', async () => {
    const machines = ['m6', 'm2', 'm3', 'm4', 'm5', 'm1'].map((name) => machineOf(name, 'medium'));
    const deletedToo = { deletionTimestamp: NOW };
    const others = [setOf('workers', 'medium'), machineOf('last', 'small', deletedToo)];
    const { deps, writes, events } = fakeKube([leaving('medium'), leaving('small'), ...machines, ...others]);
    expect(await tendMachineClasses(deps)).toMatchObject({ released: 0, kept: 2, problems: [] });
    const message =
      'it is deleted when nothing refers to it any more: 6 Machines (m1, m2, m3, m4, m5, …) and 1 MachineSet (workers)';
    expect(writes[0]).toContain(`"message":"${message}"`);
    expect(writes[1]).toContain('1 Machine (last)');
    expect(events).toHaveLength(2);

    const conditions = [{ type: 'InUse', status: 'True', reason: 'Referenced', message, lastTransitionTime: NOW }];
    const again = fakeKube([leaving('medium', { status: { conditions } }), ...machines, ...others]);
    expect(await tendMachineClasses(again.deps)).toMatchObject({ released: 0, kept: 1 });
    expect([...again.writes, ...again.events]).toEqual([]);
  });
});

describe('holding the classes in use', () => {
  const unheld = (name: string, metadata: object = {}) =>
    stored('MachineClass', name, metadata, { provider: 'simulated', providerSpec: {} });

  test('holds one that a Machine refers to which was never launched here, and none that only a set does', async () => {
    const { deps, writes } = fakeKube([
      unheld('medium'),
      unheld('small'),
      unheld('large', { deletionTimestamp: NOW, finalizers: ['other'] }),
      machineOf('adopted', 'medium'),
      machineOf('another', 'medium'),
      machineOf('late', 'large'),
      machineOf('elsewhere', 'small', { namespace: 'elsewhere' }),
      setOf('workers', 'small'),
    ]);
    expect(await tendMachineClasses(deps)).toEqual({ released: 0, kept: 0, held: 1, problems: [] });
    expect(writes).toEqual([
      `apply MachineClass medium {"metadata":{"uid":"uid-medium","finalizers":["${MACHINE_CLASS_FINALIZER}"]}}`,
    ]);
  });

  test('lists no sets where no class is being deleted', async () => {
    const { deps, lists } = fakeKube([unheld('medium')]);
    await tendMachineClasses(deps);
    expect(lists).toEqual(['MachineClass', 'Machine']);
  });

  test('tells of every one that cannot be written, and overlooks one that changed meanwhile', async () => {
    const objects = [unheld('medium'), leaving('small'), machineOf('m', 'medium')];
    const refused = await tendMachineClasses(fakeKube(objects, new KubeError(403, 'Forbidden', 'you may not')).deps);
    expect(refused).toEqual({
      released: 0,
      kept: 0,
      held: 0,
      problems: ['MachineClass ns/small: you may not', 'MachineClass ns/medium: you may not'],
    });
    const changed = await tendMachineClasses(fakeKube(objects, new KubeError(409, 'Conflict', 'changed')).deps);
    expect(changed.problems).toEqual([]);
  });

  test('reads malformed classes as well: nobody is kept from deleting one', async () => {
    const broken = { provider: 7, providerSpec: 'x', secretRef: null, status: { conditions: 'x' } };
    const { deps } = fakeKube([leaving('small', broken), stored('MachineClass', 'medium', {}, broken)]);
    expect(await tendMachineClasses(deps)).toMatchObject({ released: 1, held: 0, problems: [] });
  });
});
