import { beforeEach, describe, expect, it } from '@jest/globals';
import { readPod } from '../../k8s/model/pod.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../../k8s/resources.ts';
import { aDeployment } from '../../test/world/builders/a-deployment.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import { podFacts } from '../../test/world/run-deployments.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import { createFindDeployment, type FindDeployment } from './find-deployment.ts';

let world: World;
let find: FindDeployment;

beforeEach(() => {
  world = new World(ownClock());
  find = createFindDeployment(world.kube.client, world.clock);
  world.kube.put(aDeployment({ name: 'web' }));
  own({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-of-web', controller: true });
});

const owner = (facts: PodFacts) => find(readPod(aPod(facts)));
const web = () => owner(podFacts('web', 'web-1'));

/** The ReplicaSet `web-1` has this owner. */
function own(
  ...ownerReferences: { apiVersion: string; kind: string; name: string; uid: string; controller: boolean }[]
) {
  const { apiVersion, kind } = REPLICA_SETS;
  world.kube.put({
    apiVersion,
    kind,
    metadata: { name: 'web-1', namespace: 'default', uid: 'uid-of-web-1', ownerReferences },
  });
}

describe('the Deployment of a pod', () => {
  it('is found by the ReplicaSet between them', async () => {
    expect(await web()).toMatchObject({ deployment: { name: 'web', uid: 'uid-of-web' } });
  });

  it('is looked at once by all who ask at the same time, and its ReplicaSet once for all', async () => {
    await Promise.all([web(), web()]);
    await web();
    const asked = world.requests.map(({ resource }) => resource.kind);
    expect(asked.filter((kind) => kind === 'Deployment')).toHaveLength(2);
    expect(asked.filter((kind) => kind === 'ReplicaSet').length).toBeLessThanOrEqual(2);
  });

  it.each([
    ['ReplicaSet', REPLICA_SETS],
    ['Deployment', DEPLOYMENTS],
  ])('is unknown where another %s has the name of its own, or none has', async (_what, resource) => {
    const [found] = world.kube.all(resource);
    if (found === undefined) throw new Error('there is none');
    world.kube.put({ ...found, metadata: { ...found.metadata, uid: 'another' } });
    expect(await web()).toBeUndefined();
    world.kube.drop(resource, 'default', found.metadata.name);
    expect(await web()).toBeUndefined();
  });
});

describe('a pod that is of no Deployment', () => {
  it('is of whom it says', async () => {
    expect(await owner({ owner: { kind: 'StatefulSet', name: 'db', uid: 'u' } })).toEqual({ owner: 'StatefulSet db' });
    expect(await owner({})).toEqual({ owner: 'nobody' });
  });

  it('is of whom its ReplicaSet says', async () => {
    own({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'r', uid: 'u', controller: true });
    expect(await web()).toEqual({ owner: 'Rollout r' });
  });

  it('is of its ReplicaSet where nobody controls that', async () => {
    own({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-of-web', controller: false });
    expect(await web()).toEqual({ owner: 'ReplicaSet web-1' });
  });
});
