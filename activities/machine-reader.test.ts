import { beforeEach, describe, expect, test } from '@jest/globals';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import { CLUSTER_LABEL, FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { CLUSTERS, MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { NODES, type Resource } from '../k8s/resources.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { ownClock, type WorldClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';
import { ACT_MS, active, MachineReader } from './machine-reader.ts';

let world: World;
let clock: WorldClock;
let target: MachineTarget;
let reader: MachineReader;

beforeEach(() => {
  clock = ownClock();
  world = new World(clock);
  target = world.addMachine();
  reader = new MachineReader(world.deps);
});

const look = () => reader.read(target.ref);
const recent = (mostMs?: number) => reader.recent(target.ref, mostMs);
const reads = (verb: 'get' | 'list', of: Resource) =>
  world.requests.filter((request) => request.verb === verb && request.resource.kind === of.kind).length;
/** The Machine as it is stored. */
const stored = () => world.kube.require(MACHINES, 'default', 'm') as StoredObject;
const patch = (body: object) => world.kube.others.mergePatch(MACHINES, 'default', 'm', body);
const spoil = () => world.kube.put(spoiled(aMachine(), { spec: { providerSpec: 'text' } }));
/** A write that is answered with the Machine as it is stored. */
const write = () => reader.writing(target.ref, async () => stored());
const failureOf = (step: Promise<unknown>) =>
  step.then(
    () => 'none',
    (error: { type?: string }) => error.type,
  );

describe('the look with which a pass began', () => {
  test('counts for three seconds, or for less where less is asked for', async () => {
    await look();
    await clock.goAhead(1500);
    const { resourceVersion } = stored().metadata;
    expect(recent()).toMatchObject({ meta: { finalizers: [FINALIZER], resourceVersion } });
    expect(recent(ACT_MS)).toBeUndefined();
    await clock.goAhead(1500);
    expect(recent()).toBeUndefined();
  });

  test('is as old as it is, whatever the clock of the host is set to', async () => {
    await look();
    await clock.goAhead(1500);
    clock.set(-3_600_000);
    expect(recent(ACT_MS)).toBeUndefined();
    expect(recent()).toBeDefined();
  });

  test('does not count where a computer was suspended since, whose other clock stood still', async () => {
    await look();
    clock.set(3_600_000);
    expect(recent()).toBeUndefined();
  });

  test('is as old as its question', async () => {
    world.onRequest = async (_request, carryOut) => {
      const answer = await carryOut();
      await clock.goAhead(60_000);
      return answer;
    };
    await look();
    expect(recent()).toBeUndefined();
  });

  test('is shared by its steps, and read anew by those that ask for the Machine as it is now', async () => {
    await look();
    await reader.seen(target);
    expect(reads('get', MACHINES)).toBe(1);
    await reader.live(target);
    await clock.goAhead(ACT_MS);
    await reader.seen(target, ACT_MS);
    expect(reads('get', MACHINES)).toBe(3);
  });

  test('is no way around a Machine of another cluster, one that is malformed, or paused', async () => {
    await look();
    expect(await failureOf(reader.seen({ ...target, clusterUid: 'theirs' }))).toBe('ForeignCluster');
    world.addMachine({ paused: true });
    await look();
    expect(await failureOf(reader.seen(target))).toBe('none');
    expect(await failureOf(reader.seen(target).then(active))).toBe(OBJECT_CHANGED);
    spoil();
    await look();
    expect(await failureOf(reader.seen(target))).toBe(OBJECT_CHANGED);
  });
});

describe('a write', () => {
  test('keeps everybody from going by what was there before it', async () => {
    await look();
    const end = Promise.withResolvers<StoredObject>();
    const writing = reader.writing(target.ref, () => end.promise);
    expect(recent()).toBeUndefined();
    end.resolve(stored());
    await writing;
  });

  test('is gone on from with its answer, no longer than from the look', async () => {
    await look();
    await clock.goAhead(2000);
    await patch({ metadata: { finalizers: ['second'] } });
    await write();
    const { resourceVersion } = stored().metadata;
    expect(recent()).toMatchObject({ meta: { finalizers: ['second'], resourceVersion } });
    await clock.goAhead(1000);
    expect(recent()).toBeUndefined();
  });

  test('is not gone on from where there was no look', async () => {
    await write();
    expect(recent()).toBeUndefined();
  });

  test.each<[string, () => unknown]>([
    ['another spec', () => patch({ spec: { providerSpec: { value: { image: 'image-2' } } } })],
    ['another Cluster', () => patch({ metadata: { labels: { [CLUSTER_LABEL]: 'other' } } })],
    ['what is malformed', spoil],
  ])('is not gone on from where it is answered with %s', async (_what, change) => {
    await look();
    await change();
    await write();
    expect(recent()).toBeUndefined();
  });

  test('leaves nothing of a look that somebody had meanwhile: which of both is newer is not known', async () => {
    await look();
    await reader.writing(target.ref, async () => {
      await look();
      return stored();
    });
    expect(recent()).toBeUndefined();
  });

  test.each([404, 409])('that finds the Machine gone or changed (%i) means a new look', async (status) => {
    await look();
    const failing = reader.writing(target.ref, () => Promise.reject(new KubeError(status, 'NotFound', 'no')));
    expect(await failureOf(failing)).toBe(OBJECT_CHANGED);
    expect(recent()).toBeUndefined();
  });

  test('is gone on from with the pause of the Cluster, as it was seen', async () => {
    world.kube.put(aCluster({ paused: true }));
    await look();
    await write();
    expect(recent()?.machine).toMatchObject({ paused: true, pausedBy: 'Cluster default/c1' });
  });
});

test('those who ask at the same time share one read of the Cluster, of all Machines, and of all Nodes', async () => {
  const looks = [reader.live(target), reader.live(target), reader.all(), reader.all()];
  await Promise.all([...looks, reader.nodes(), reader.nodes()]);
  const shared = [reads('get', CLUSTERS), reads('list', MACHINES), reads('list', NODES)];
  expect([reads('get', MACHINES), ...shared]).toEqual([2, 1, 1, 1]);
});
