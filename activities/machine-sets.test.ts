import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { CLUSTERS, MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { DELETE_MACHINE_ANNOTATION } from '../k8s/dialects/openshift/labels.ts';
import { CAUSE_ANNOTATION } from '../k8s/model/cause.ts';
import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import { given } from '../providers/given.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { aMachineSet } from '../test/world/builders/a-machine-set.ts';
import { NAMESPACE } from '../test/world/builders/metadata.ts';
import { before, type KubeRequest } from '../test/world/kubernetes/request.ts';
import { SetWorld } from '../test/world/set-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID } from '../test/world/world.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { SeenStatus } from '../workflows/seen-status.ts';
import { createMachineDeps } from './deps.ts';
import { createMachineSetActivities } from './machine-sets.ts';
import { recordedActivity } from '../test/world/recorded-activity.ts';

const NOW = '2026-01-02T00:00:00Z';
const DENIED = new KubeError(403, 'Forbidden', 'denied');
const MARKED = { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } };
const PAUSED = { annotations: { [PAUSED_ANNOTATION]: '' } };

/** A set of so many Machines, and its activities as a worker runs them. */
function setOf(replicas: number, machines: readonly string[] = [], onAsked = async () => {}) {
  const world = new SetWorld(ownClock(), { replicas });
  for (const name of machines) world.add(name);
  const activities = createMachineSetActivities(createMachineDeps(world.deps));
  const environment = recordedActivity({ onAsked });
  const target = { ref: world.ref, clusterUid: CLUSTER_UID };
  return {
    world,
    activities,
    environment,
    target,
    survey: (issued: readonly string[] = []) => activities.surveyReplicas({ ...target, issued }),
    create: (names: readonly string[]) => environment.run(() => activities.createMachines({ ...target, names })),
    remove: (skip: readonly string[] = [], count = 40) =>
      environment.run(() => activities.deleteMachines({ ...target, count, skip })),
    adopt: (...names: readonly string[]) =>
      activities.adoptAndRelease({ ...target, adopt: names.map(chosen), release: [] }),
    release: (...names: readonly string[]) =>
      activities.adoptAndRelease({ ...target, adopt: [], release: names.map(chosen) }),
  };
}

const managersOf = (world: SetWorld, name: string) =>
  world.machine(name)?.metadata.managedFields?.map(({ manager }) => manager);
const chosen = (name: string) => ({ name, uid: `uid-of-${name}` });
const names = (count: number) => Array.from({ length: count }, (_, i) => `m-${String(i).padStart(2, '0')}`);
/** Changes the world right before the nth request of a kind. */
function onceAt(world: SetWorld, verb: KubeRequest['verb'], nth: number, change: () => void): void {
  world.onRequest = before({ verb, nth }, change);
}
/** The ways in which a set stops being acted on, each between two batches. */
const STOPS: readonly [string, (world: SetWorld) => void][] = [
  ['is paused', (world) => world.changeSetMeta(PAUSED)],
  ['is being deleted', (world) => world.changeSetMeta({ deletionTimestamp: NOW })],
  ['is gone', (world) => world.loseSet()],
  ['is another one of that name', (world) => world.changeSetMeta({ uid: 'another' })],
  ['is malformed', (world) => world.change({ replicas: 'many' })],
  ['belongs to a Cluster that is paused', (world) => world.kube.put(aCluster({ paused: true }))],
];

describe('a worker of another cluster', () => {
  it('touches no set', async () => {
    const { world, activities, environment, target } = setOf(1, ['m-00', 'm-01']);
    const foreign = { ...target, clusterUid: 'another' };
    const counts = { replicas: 0, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 };
    const status = { ...counts, observedGeneration: 1, labelSelector: '', conditions: [] };
    for (const call of [
      () => activities.surveyReplicas({ ...foreign, issued: [] }),
      () => activities.createMachines({ ...foreign, names: ['m-02'] }),
      () => activities.deleteMachines({ ...foreign, count: 1, skip: [] }),
      () => activities.adoptAndRelease({ ...foreign, adopt: [], release: [chosen('m-00')] }),
      () => activities.writeMachineSetStatus({ ...foreign, status, events: [] }),
    ]) {
      await expect(environment.run(call)).rejects.toMatchObject({ type: 'ForeignCluster' });
    }
    expect(world.requests).toEqual([]);
  });
});

describe('a look at a set', () => {
  it('tells of a pause by its Cluster, and of one that cannot be read', async () => {
    const { world, survey } = setOf(1);
    expect(await survey()).toMatchObject({ paused: false });
    world.kube.put(aCluster({ paused: true }));
    expect(await survey()).toMatchObject({ paused: true, pausedBy: 'Cluster default/c1', isUnsure: false });
    world.onRequest = before({ verb: 'get', resource: CLUSTERS }, () => {
      throw DENIED;
    });
    expect(await survey()).toMatchObject({
      paused: true,
      pausedBy: expect.stringContaining('get clusters.machine.openshift.io'),
      isUnsure: true,
    });
  });

  it('sees the mark that was there before the set was scaled, however the two meet', async () => {
    const { world, survey } = setOf(3, names(3));
    // As cluster-autoscaler does it: the mark first, the number of replicas second.
    onceAt(world, 'list', 1, () => {
      world.changeMachine('m-01', MARKED);
      world.change({ replicas: 2 });
    });
    const first = await survey();
    expect(first).toMatchObject({ replicas: 3, plan: { remove: [] } });
    expect(await survey()).toMatchObject({ replicas: 2, plan: { remove: [chosen('m-01')] } });

    onceAt(world, 'get', 1, () => {
      world.changeMachine('m-02', MARKED);
      world.change({ replicas: 1 });
    });
    expect(await survey()).toMatchObject({ plan: { remove: [chosen('m-01'), chosen('m-02')] } });
  });

  it.each(STOPS.slice(2, 4))('finds nothing where the set %s', async (_how, change) => {
    const { world, survey } = setOf(3);
    change(world);
    expect(await survey()).toEqual({ found: false });
  });

  it('plans nothing for a set that is malformed, and tells what is wrong', async () => {
    const { world, survey } = setOf(3, names(5));
    world.change({ replicas: 'many' });
    expect(await survey()).toMatchObject({ found: 'malformed', message: expect.stringMatching(/replicas/) });
  });

  it('fails where the API server does not answer: that is no proof that the set is gone', async () => {
    const { world, survey } = setOf(3);
    world.onRequest = before({}, () => {
      throw DENIED;
    });
    await expect(survey()).rejects.toBe(DENIED);
  });

  it('tells the status as it is stored', async () => {
    const { world, survey } = setOf(3);
    const status = { replicas: 2, errorReason: 'CreateError' as const, errorMessage: 'no' };
    world.kube.put(aMachineSet({ replicas: 3, status }));
    expect(await survey()).toMatchObject({
      status: { replicas: 2, error: { reason: 'CreateError', message: 'no' } },
    });
  });
});

describe('creating the Machines of a set', () => {
  it('begins with one, then two, and looks before each batch', async () => {
    const { world, create } = setOf(7);
    expect(await create(names(7))).toEqual({ outcome: 'done', created: 7 });
    expect(world.requests.map((r) => r.verb).join(' ')).toBe(
      'get get list create get get list create create get get list create create create create',
    );
    expect(world.living).toEqual(names(7));
    expect(managersOf(world, 'm-00')).toEqual([SET_FIELD_MANAGER]);
  });

  it('makes no more than the set lacks by now', async () => {
    const { world, create } = setOf(5);
    onceAt(world, 'get', 2, () => world.change({ replicas: 3 }));
    expect(await create(names(5))).toEqual({ outcome: 'done', created: 3 });
    expect(world.living).toEqual(names(3));
  });

  it('counts Machines that came from elsewhere meanwhile', async () => {
    const { world, create } = setOf(3);
    onceAt(world, 'list', 2, () => {
      world.add('another');
      world.add('orphan', { ownerReferences: [] });
    });
    await create(names(3));
    expect(world.living).toEqual(['another', 'm-00', 'orphan']);
  });

  it.each(STOPS)('stops where the set %s', async (_how, change) => {
    const { world, create } = setOf(5);
    // The second look's: each begins with the set and its Cluster.
    onceAt(world, 'get', 3, () => change(world));
    await create(names(5));
    expect(world.living).toEqual(['m-00']);
  });

  it('is safe to repeat, and tries a name that somebody else has once', async () => {
    const { world, create } = setOf(3);
    world.add('m-01', { labels: { set: 'others' }, ownerReferences: [] });
    expect(await create(names(3))).toEqual({ outcome: 'done', created: 3 });
    await create(names(3));
    expect(world.asked('create')).toEqual(['m-00', 'm-01', 'm-02', 'm-01']);
  });

  it('counts no Machine of another namespace, whatever its labels', async () => {
    const { world, create } = setOf(2);
    const labels = { set: 'workers' };
    world.kube.put(aMachine({ name: 'elsewhere', namespace: 'elsewhere', metadata: { labels } }));
    await create(names(2));
    expect(world.asked('create')).toEqual(names(2));
  });

  it.each([DENIED, new KubeError(400, 'BadRequest', 'denied')])(
    'stops at the first refusal (%s), and tells it',
    async (refusal) => {
      const { world, create } = setOf(9);
      let calls = 0;
      world.onRequest = before({}, ({ verb }) => {
        if (verb === 'create' && ++calls === 3) throw refusal;
      });
      expect(await create(names(9))).toEqual({ outcome: 'refused', message: `${refusal.reason}: denied` });
      expect(world.living).toEqual(['m-00', 'm-01']);
    },
  );

  it.each([
    ['no answer', new KubeError(0, 'Unreachable', 'no answer')],
    ['a webhook that is down', new KubeError(500, 'InternalError', 'no webhook')],
    ['a limit', new KubeError(429, 'TooManyRequests', 'later')],
    ['a quota that others wrote', new KubeError(409, 'Conflict', 'the quota changed')],
    ['a time-out', new KubeError(408, 'Timeout', 'too slow')],
  ])('fails with the error on %s: whether the Machine was made is not known', async (_what, error) => {
    const { world, create } = setOf(3);
    world.onRequest = before({}, ({ verb, name }) => {
      if (verb === 'create' && name === 'm-02') throw error;
      if (verb === 'create' && name === 'm-01') throw DENIED;
    });
    await expect(create(names(3))).rejects.toBe(error);
  });
});

describe('deleting the Machines of a set', () => {
  it('tells each why it goes, and deletes it also where that may not be written', async () => {
    const { world, remove } = setOf(1, names(3));
    const notes: unknown[] = [];
    world.onRequest = before({ verb: 'mergePatch' }, ({ body }) => {
      notes.push(body);
      if (notes.length === 2) throw DENIED;
    });
    expect(await remove()).toMatchObject({ deleted: 2, isDone: true });
    const cause = expect.stringMatching(/^\S+Z surplus: MachineSet default\/\S+ has 3 machines, and 1 is asked for$/);
    expect(notes).toEqual(
      [1, 2].map(() =>
        expect.objectContaining({ metadata: expect.objectContaining({ annotations: { [CAUSE_ANNOTATION]: cause } }) }),
      ),
    );
  });

  it('takes sixteen, then more, and looks before each batch', async () => {
    const { world, remove } = setOf(0, names(90));
    expect(await remove()).toEqual({ deleted: 90, isDone: true });
    const batches = world.requests.map((r) => r.verb.slice(0, 1)).join('');
    expect(batches).toBe([16, 32, 32, 10].map((size) => `ggl${'m'.repeat(size)}${'d'.repeat(size)}`).join(''));
  });

  it('looks at most twenty times, however many there are, and only at those that the selector matches', async () => {
    const { world, remove } = setOf(
      0,
      Array.from({ length: 2000 }, (_, i) => `m-${i}`),
    );
    await remove([], 2000);
    expect(world.living).toEqual([]);
    expect(world.asked('list').length).toBeLessThanOrEqual(20);
    const lists = world.requests.filter(({ verb }) => verb === 'list');
    expect(new Set(lists.map(({ labelSelector }) => labelSelector))).toEqual(new Set(['set=workers']));
  });

  it('deletes no more than are too many by now', async () => {
    const { world, remove } = setOf(10, names(40));
    onceAt(world, 'get', 2, () => world.change({ replicas: 22 }));
    await remove();
    expect(world.living).toHaveLength(22);
  });

  it('counts those that somebody else deleted meanwhile', async () => {
    const { world, remove } = setOf(20, names(40));
    onceAt(world, 'list', 2, () => {
      for (const name of world.living.slice(0, 3)) world.lose(name);
    });
    await remove();
    expect(world.living).toHaveLength(20);
  });

  it.each(STOPS)('stops where the set %s', async (_how, change) => {
    const { world, remove } = setOf(0, names(40));
    // The second look's: each begins with the set and its Cluster.
    onceAt(world, 'get', 3, () => change(world));
    await remove();
    expect(world.asked('delete')).toHaveLength(16);
  });

  it('takes a Machine that was marked meanwhile before those that were planned', async () => {
    const { world, remove } = setOf(23, names(40));
    const last = 'm-39';
    onceAt(world, 'list', 2, () => world.changeMachine(last, MARKED));
    await remove();
    expect(world.asked('delete')).toHaveLength(17);
    expect(world.asked('delete').at(-1)).toBe(last);
  });

  it.each<[string, Partial<Parameters<SetWorld['changeMachine']>[1]>]>([
    ['is another one of that name', { uid: 'younger', annotations: {}, resourceVersion: '2' }],
    ['is not the set’s any more', { ownerReferences: [] }],
    ['is not selected any more', { labels: { set: 'others' } }],
  ])('leaves alone a Machine that, right before, %s', async (_how, change) => {
    const { world, remove } = setOf(1, ['m-00', 'm-01', 'm-02']);
    for (const name of ['m-00', 'm-01']) world.changeMachine(name, MARKED);
    world.changeMachine('m-00', { resourceVersion: '2' });
    world.onRequest = before({}, ({ verb, name }) => {
      if (verb === 'delete' && name === 'm-00') world.changeMachine('m-00', change);
    });
    await remove();
    expect(world.living).toContain('m-00');
    expect(world.living).not.toContain('m-01');
  });

  it.each(['list', 'mergePatch'] as const)(
    'leaves alone a younger Machine of that name, although it has the very version that a %s told of',
    async (verb) => {
      const { world, remove } = setOf(1, ['m-00', 'm-01', 'm-02']);
      for (const name of ['m-00', 'm-01']) world.changeMachine(name, MARKED);
      const isReplaced = () => world.machine('m-00')?.metadata.uid === 'younger';
      world.onRequest = async (request, carryOut) => {
        const answer = await carryOut();
        const isMeant = request.verb === verb && [undefined, 'm-00'].includes(request.name);
        if (!isMeant || isReplaced()) return answer;
        const versionOf = () => `"resourceVersion":"${world.machine('m-00')?.metadata.resourceVersion}"`;
        const seen = versionOf();
        world.changeMachine('m-00', { uid: 'younger', annotations: {} });
        return JSON.parse(JSON.stringify(answer).replaceAll(seen, versionOf()));
      };
      await remove();
      expect(isReplaced()).toBe(true);
      expect(world.machine('m-00')?.metadata).not.toHaveProperty('annotations');
      expect(world.living).toEqual(['m-00']);
    },
  );

  it('looks again where a Machine changed right before: the mark may be on another one', async () => {
    const { world, remove } = setOf(2, ['m-00', 'm-01', 'm-02']);
    world.changeMachine('m-00', MARKED);
    onceAt(world, 'delete', 1, () => {
      world.changeMachine('m-00', { annotations: {} });
      world.changeMachine('m-02', MARKED);
    });
    expect(await remove()).toEqual({ deleted: 1, isDone: true });
    expect(world.living).toEqual(['m-00', 'm-01']);
  });

  it('looks again for one that changed where another one was gone', async () => {
    const { world, remove } = setOf(0, ['m-00', 'm-01']);
    onceAt(world, 'delete', 1, () => {
      world.changeMachine('m-00', {});
      world.lose('m-01');
    });
    expect(await remove()).toEqual({ deleted: 1, isDone: true });
    expect(world.living).toEqual([]);
  });

  it('tells of a Machine that changes whenever it is to be deleted', async () => {
    const { world, remove } = setOf(0, ['m-00', 'm-01']);
    world.onRequest = before({}, ({ verb, name }) => {
      if (verb === 'delete' && name === 'm-00') world.changeMachine(name, {});
    });
    expect(await remove()).toMatchObject({ deleted: 1, isDone: true, refused: { machines: [chosen('m-00')] } });
    expect(world.asked('delete').filter((name) => name === 'm-00')).toHaveLength(5);
  });

  it('goes on past one that is gone or refused, tells of the latter, and takes nobody in its stead', async () => {
    const { world, remove } = setOf(30, names(50));
    for (const name of names(20)) world.changeMachine(name, MARKED);
    world.onRequest = before({}, ({ verb, name }) => {
      if (verb !== 'delete') return;
      if (name === 'm-03' || name === 'm-19') throw DENIED;
      if (name === 'm-04') world.lose(name);
    });
    expect(await remove()).toEqual({
      deleted: 17,
      isDone: true,
      refused: { machines: [chosen('m-03'), chosen('m-19')], message: 'Forbidden: denied' },
    });
    expect(world.living).toEqual(['m-03', 'm-19', ...names(50).slice(20)]);
    expect(world.asked('delete')).toHaveLength(20);
  });

  it('does not try those that wait for their next try', async () => {
    const { world, remove } = setOf(1, ['m-00', 'm-01', 'm-02']);
    for (const name of ['m-00', 'm-01']) world.changeMachine(name, MARKED);
    await remove(['uid-of-m-00']);
    expect(world.asked('delete')).toEqual(['m-01']);
  });

  it('fails where it cannot look', async () => {
    const { world, remove } = setOf(0, ['m-00']);
    world.onRequest = before({}, ({ verb }) => {
      if (verb === 'list') throw DENIED;
    });
    await expect(remove()).rejects.toBe(DENIED);
  });

  it('fails on a defect of its own: that is no refusal', async () => {
    const { world, remove } = setOf(0, ['m-00']);
    const defect = new TypeError('not a function');
    world.onRequest = before({}, ({ verb }) => {
      if (verb === 'delete') throw defect;
    });
    await expect(remove()).rejects.toBe(defect);
  });

  it('leaves the rest to the next pass after a minute', async () => {
    const { world, remove } = setOf(0, names(40));
    world.onRequest = before({ verb: 'list' }, () => world.clock.goAhead(13_000));
    expect(await remove()).toEqual({ deleted: 40, isDone: true });
    world.change({ replicas: 0 });
    for (const name of names(200)) world.add(name);
    expect(await remove([], 200)).toEqual({ deleted: 144, isDone: false });
  });
});

it('a worker that stood still since its look makes no Machine: the set may be smaller by now', async () => {
  const { world, create } = setOf(2);
  world.onRequest = before({ verb: 'list', nth: 1 }, () => world.clock.set(60_000));
  await expect(create(names(2))).rejects.toMatchObject({ reason: 'NotSent' });
  expect(world.asked('create')).toEqual([]);
  // It is tried again, by a look of then.
  expect(await create(names(2))).toMatchObject({ created: 2 });
});

it('a worker that stood still since its look deletes no Machine: the set may be larger by now', async () => {
  const { world, remove } = setOf(0, names(2));
  let isStill = true;
  world.onRequest = before({ verb: 'mergePatch', nth: 1 }, () => {
    if (!isStill) return;
    isStill = false;
    world.clock.set(60_000);
    world.change({ replicas: 2 });
  });
  await remove();
  expect(world.living).toEqual(names(2));
});

describe('a workflow that is gone', () => {
  it.each(['create', 'delete'] as const)('stops its batches: %s', async (what) => {
    const { world, environment, create, remove } = what === 'create' ? setOf(60) : setOf(0, names(60));
    onceAt(world, 'list', 2, () => environment.cancel('NOT_FOUND'));
    await expect(what === 'create' ? create(names(60)) : remove()).rejects.toThrow('NOT_FOUND');
    expect(world.asked('list')).toHaveLength(2);
  });

  it.each([
    ['create', 1],
    ['delete', 16],
  ] as const)('is asked for before each batch: %s', async (what, size) => {
    let asked = 0;
    const onAsked = async () => {
      asked += 1;
      if (asked === 2) throw new Error('another try took its place');
    };
    const given = what === 'create' ? 0 : 60;
    const { world, create, remove } = setOf(60 - given, names(given), onAsked);
    await expect(what === 'create' ? create(names(60)) : remove()).rejects.toThrow('another try');
    expect(Math.abs(world.living.length - given)).toBe(size);
  });
});

describe('adopting and letting go', () => {
  const ownersOf = (world: SetWorld, name: string) =>
    world.machine(name)?.metadata.ownerReferences?.map(({ uid }) => uid);
  const OTHER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'uid-of-c' };
  const CONTROLLER = { ...OTHER, controller: true };

  it('makes the set the controller, keeps other owners, and does so once', async () => {
    const { world, adopt } = setOf(1);
    world.add('m-00', { ownerReferences: [OTHER] });
    expect(await adopt('m-00')).toEqual({});
    expect(await adopt('m-00')).toEqual({});
    expect(world.asked('mergePatch')).toHaveLength(1);
    expect(world.machine('m-00')?.metadata.ownerReferences).toMatchObject([
      OTHER,
      { kind: 'MachineSet', name: 'workers', uid: world.ref.uid, controller: true, blockOwnerDeletion: true },
    ]);
  });

  it('writes under its own name', async () => {
    const { world, activities, target } = setOf(1);
    const made = aMachine({ name: 'm-00', metadata: { labels: { set: 'workers' } } });
    const orphan = { ...made, metadata: { ...made.metadata, resourceVersion: '' } };
    const by = { fieldManager: 'theirs' };
    const { metadata } = await world.kube.client.create<typeof orphan>(MACHINES, NAMESPACE, orphan, by);
    await activities.adoptAndRelease({ ...target, adopt: [metadata], release: [] });
    expect(managersOf(world, 'm-00')).toContain(SET_FIELD_MANAGER);
  });

  it('makes of the set’s own reference one that controls', async () => {
    const { world, adopt } = setOf(1);
    const { apiVersion, kind, name, uid } = world.ref;
    world.add('m-00', { ownerReferences: [{ apiVersion, kind, name, uid }] });
    await adopt('m-00');
    expect(world.machine('m-00')?.metadata.ownerReferences).toMatchObject([{ uid, controller: true }]);
  });

  it('takes the set’s reference away, and leaves other owners', async () => {
    const { world, release } = setOf(1, ['m-00']);
    const own = world.machine('m-00')?.metadata.ownerReferences ?? [];
    world.changeMachine('m-00', { labels: {}, ownerReferences: [OTHER, ...own] });
    await release('m-00');
    expect(ownersOf(world, 'm-00')).toEqual(['uid-of-c']);
  });

  it.each(STOPS)('does nothing where the set %s', async (_how, change) => {
    const { world, adopt, release } = setOf(1);
    world.add('m-00', { ownerReferences: [] });
    world.add('m-01', { labels: {} });
    change(world);
    await adopt('m-00');
    await release('m-01');
    expect(world.asked('mergePatch')).toEqual([]);
  });

  it.each<[string, Parameters<SetWorld['add']>[1]]>([
    ['has another controller', { ownerReferences: [CONTROLLER] }],
    ['is another one of that name', { uid: 'another', ownerReferences: [] }],
    ['is being deleted', { deletionTimestamp: NOW, ownerReferences: [] }],
    ['is not selected any more', { labels: {}, ownerReferences: [] }],
  ])('does not adopt a Machine that, by now, %s', async (_how, metadata) => {
    const { world, adopt } = setOf(1);
    world.add('m-00', metadata);
    expect(await adopt('m-00')).toEqual({});
    expect(world.asked('mergePatch')).toEqual([]);
  });

  it.each<[string, Parameters<SetWorld['add']>[1]]>([
    ['has another controller', { labels: {}, ownerReferences: [CONTROLLER] }],
    ['is another one of that name', { labels: {}, uid: 'another' }],
    ['is being deleted', { labels: {}, deletionTimestamp: NOW }],
    ['is selected again', {}],
  ])('does not let go of a Machine that, by now, %s', async (_how, metadata) => {
    const { world, release } = setOf(1);
    world.add('m-00', metadata);
    expect(await release('m-00')).toEqual({});
    expect(world.asked('mergePatch')).toEqual([]);
  });

  it('looks again where a Machine changes right before the patch', async () => {
    const { world, adopt } = setOf(1);
    world.add('m-00', { ownerReferences: [] });
    onceAt(world, 'mergePatch', 1, () => world.changeMachine('m-00', { ownerReferences: [CONTROLLER] }));
    expect(await adopt('m-00')).toEqual({});
    expect(ownersOf(world, 'm-00')).toEqual(['uid-of-c']);
  });

  it('tells of a Machine that changes whenever it is to be patched, and passes over one that is gone', async () => {
    const { world, adopt } = setOf(1);
    world.add('m-00', { ownerReferences: [] });
    world.add('m-02', { ownerReferences: [] });
    world.onRequest = before({}, ({ verb, name }) => {
      if (verb === 'mergePatch' && name === 'm-00') world.changeMachine(name, {});
    });
    expect(await adopt('m-00', 'm-01', 'm-02')).toMatchObject({ notAdopted: { machines: [chosen('m-00')] } });
    expect(ownersOf(world, 'm-02')).toEqual([world.ref.uid]);
  });

  it('asks once where a Machine is refused, and tells it', async () => {
    const { world, adopt, release } = setOf(1);
    world.add('m-00', { ownerReferences: [] });
    world.add('m-01', { labels: {} });
    world.onRequest = before({}, ({ verb }) => {
      if (verb === 'mergePatch') throw DENIED;
    });
    const refused = (name: string) => ({ machines: [chosen(name)], message: 'Forbidden: denied' });
    expect(await adopt('m-00')).toEqual({ notAdopted: refused('m-00') });
    expect(await release('m-01')).toEqual({ notReleased: refused('m-01') });
    expect(world.asked('mergePatch')).toEqual(['m-00', 'm-01']);
  });

  it('asks nothing where nothing is to be done', async () => {
    const { world, adopt } = setOf(1);
    expect(await adopt()).toEqual({});
    expect(world.requests).toEqual([]);
  });

  it('leaves the rest to the next look after 15 s', async () => {
    const { world, adopt } = setOf(40);
    for (const name of names(40)) world.add(name, { ownerReferences: [] });
    world.onRequest = before({ verb: 'mergePatch', nth: 1 }, () => world.clock.goAhead(16_000));
    expect(await adopt(...names(40))).toEqual({});
    expect(world.asked('mergePatch')).toHaveLength(32);
  });
});

const versionOf = (object: { metadata: { resourceVersion: string } } | undefined) =>
  Number(object?.metadata.resourceVersion);

describe('the status of a set', () => {
  const COUNTS = { replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const STATUS = { ...COUNTS, observedGeneration: 1, labelSelector: 'set=workers', conditions: [] };
  const EVENT = { type: 'Warning', reason: 'FailedCreate', message: 'no' } as const;
  const setOfStatus = () => {
    const { activities, target, ...rest } = setOf(1);
    return { ...rest, write: () => activities.writeMachineSetStatus({ ...target, status: STATUS, events: [EVENT] }) };
  };

  it('is written to the set that was meant, then told by events', async () => {
    const { world, survey, write } = setOfStatus();
    await survey();
    const surveyed = world.requests.length;
    await write();
    expect(world.set?.status).toMatchObject(COUNTS);
    expect(world.requests.slice(surveyed).map((r) => r.verb)).toEqual(['apply']);
    expect(world.events).toMatchObject([EVENT]);
    expect(versionOf(world.events[0])).toBeGreaterThan(versionOf(world.set));
  });

  it('is written also where somebody changes the set right before', async () => {
    const { world, survey, write } = setOfStatus();
    await survey();
    onceAt(world, 'apply', 1, () => world.change({ replicas: 2 }));
    await write();
    expect(world.set).toMatchObject({ spec: { replicas: 2 }, status: COUNTS });
    expect(world.events).toMatchObject([EVENT]);
  });

  it('is not taken back by a worker that stood still since its look, also where it has looked again for another step', async () => {
    const { world, survey, activities, target } = setOf(1);
    const first = (await survey()) as { readonly seen?: SeenStatus };
    const write = (replicas: number, { seen }: { seen?: SeenStatus }) =>
      activities.writeMachineSetStatus({ ...target, status: { ...STATUS, replicas }, events: [], ...given({ seen }) });
    await write(1, first);
    await survey();
    await expect(write(0, first)).rejects.toMatchObject({ type: OBJECT_CHANGED });
    expect(world.set?.status).toMatchObject({ replicas: 1 });
  });

  it.each<[string, (world: SetWorld) => void]>([
    ['gone', (world) => world.loseSet()],
    ['another one of that name', (world) => world.changeSetMeta({ uid: 'another' })],
  ])('asks for a new look where the set is %s, and tells nothing', async (_how, change) => {
    for (const isLate of [false, true]) {
      const { world, survey, write } = setOfStatus();
      if (isLate) {
        await survey();
        onceAt(world, 'apply', 1, () => change(world));
      } else change(world);
      await expect(write()).rejects.toMatchObject({ type: OBJECT_CHANGED });
      expect(world.set?.status).toBeUndefined();
      expect(world.events).toEqual([]);
    }
  });
});
