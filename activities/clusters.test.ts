import { describe, expect, test } from '@jest/globals';
import { CLUSTERS } from '../k8s/dialects/openshift/resources.ts';
import { given } from '../providers/given.ts';
import { aCluster, type ClusterFacts } from '../test/world/builders/a-cluster.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { MADE_AT } from '../test/world/builders/metadata.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { ObjectWorld } from '../test/world/object-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID } from '../test/world/world.ts';
import type { FoundCluster } from '../workflows/cluster/cluster-activities.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';

const READY = { conditions: [{ type: 'NodeReady', status: 'True', lastTransitionTime: MADE_AT }] } as const;
const STATUS = { machines: 1, readyMachines: 0, observedGeneration: 1, conditions: [] };

function clusterOf(facts: ClusterFacts = {}) {
  const world = new ObjectWorld(ownClock(), { resource: CLUSTERS, object: aCluster(facts) });
  return { world, target: { ref: world.ref, clusterUid: CLUSTER_UID }, activities: world.activities };
}

describe('a look at a Cluster', () => {
  test('counts the Machines of its namespace that carry its name, and those that are Ready and stay', async () => {
    const { world, target, activities } = clusterOf();
    world.kube.put(
      aMachine({ name: 'new' }),
      aMachine({ name: 'ready', status: { ...READY, conditions: [...READY.conditions] } }),
      aMachine({ name: 'leaving', status: { ...READY, conditions: [...READY.conditions] }, deleting: true }),
      aMachine({ name: 'other', cluster: 'c2' }),
      aMachine({ name: 'elsewhere', namespace: 'elsewhere' }),
      spoiled(aMachine({ name: 'broken' }), { status: { conditions: 'x' } }),
    );
    expect(await activities.countMachines(target)).toMatchObject({
      found: true,
      machines: 4,
      readyMachines: 1,
      paused: false,
      status: {},
    });
  });

  test('takes one that cannot be read for paused, and says why', async () => {
    const { world, target, activities } = clusterOf();
    world.kube.put(spoiled(aCluster(), { spec: { paused: 'yes' } }));
    const look = await activities.countMachines(target);
    expect(look).toMatchObject({ paused: true, malformed: expect.stringContaining('spec.paused') });
  });

  test.each([
    ['is gone', (world: ReturnType<typeof clusterOf>['world']) => world.lose()],
    [
      'is another one of its name',
      (world: ReturnType<typeof clusterOf>['world']) => world.kube.put(aCluster({ metadata: { uid: 'another' } })),
    ],
  ])('finds none where it %s', async (_how, change) => {
    const { world, target, activities } = clusterOf();
    change(world);
    expect(await activities.countMachines(target)).toEqual({ found: false });
    await expect(activities.writeClusterStatus({ ...target, status: STATUS })).rejects.toMatchObject({
      type: OBJECT_CHANGED,
    });
    expect(world.status.machines).toBeUndefined();
  });
});

test('the status of a Cluster is written, and conditions of others stay', async () => {
  const { world, target, activities } = clusterOf();
  const others = { type: 'Theirs', status: 'True', lastTransitionTime: MADE_AT } as const;
  world.change((stored) => ({ ...stored, status: { conditions: [others] } }));
  await activities.writeClusterStatus({ ...target, status: STATUS });
  expect(world.status).toMatchObject({ machines: 1, readyMachines: 0, conditions: [others] });
});

test('the status of a Cluster is not taken back by a worker that stood still since its look', async () => {
  const { world, target, activities } = clusterOf();
  const first = (await activities.countMachines(target)) as FoundCluster;
  const write = (machines: number) =>
    activities.writeClusterStatus({ ...target, status: { ...STATUS, machines }, ...given({ seen: first.seen }) });
  await write(2);
  await activities.countMachines(target);
  await expect(write(1)).rejects.toMatchObject({ type: OBJECT_CHANGED });
  expect(world.status.machines).toBe(2);
});

test('a worker of another cluster touches no Cluster', async () => {
  const { world, target, activities } = clusterOf();
  const foreign = { ...target, clusterUid: 'another' };
  await expect(activities.countMachines(foreign)).rejects.toMatchObject({ type: 'ForeignCluster' });
  await expect(activities.writeClusterStatus({ ...foreign, status: STATUS })).rejects.toMatchObject({
    type: 'ForeignCluster',
  });
  expect(world.writes).toEqual([]);
});
