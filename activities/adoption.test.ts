import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { CLAIM_ANNOTATION } from '../k8s/model/claim.ts';
import { CLUSTERS, MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { Provider } from '../providers/provider.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID, World } from '../test/world/world.ts';

/** As the Machine API leaves an instance. */
const LEFT = { cluster: 'c1', name: 'web' };
/** As the Machine web leaves one that is restored under another uid. */
const FORMER = { cluster: 'c1', namespace: 'default', name: 'web', machineUid: 'uid-before', clusterUid: CLUSTER_UID };
const OWN = { ...FORMER, machineUid: 'uid-of-web' };

/** The Machine web, which may adopt what its cluster has; the instances, the oldest first. */
async function adopting(...instances: NonNullable<Parameters<World['cloud']['launch']>[0]>[]) {
  const world = new World(ownClock());
  const { kube, cloud, clock } = world;
  kube.put(aCluster());
  const ids: string[] = [];
  for (const tags of instances) {
    ids.push((await cloud.launch(tags)).id);
    await clock.goAhead(1000);
  }
  const target = world.addMachine({ name: 'web' });
  return {
    world,
    cloud,
    ids,
    tagsOf: (id: string | undefined) => cloud.instance(id ?? '')?.tags,
    claimOf: () => kube.peek(MACHINES, 'default', 'web')?.metadata.annotations?.[CLAIM_ANNOTATION],
    /** The answer, with ids in place of instances. */
    find: async () => {
      const answer = await world.run((on) => on.findInstances({ ...target, clusterName: 'c1' }));
      return answer.outcome === 'failed' ? answer : { ...answer, instances: answer.instances.map(({ id }) => id) };
    },
    look: (id = '') => world.run((on) => on.lookAtInstance({ ...target, id })),
    terminate: (id = '') => world.run((on) => on.terminateInstance({ ...target, id, lookAfterMs: 10 })),
    change: (parts: Partial<Provider>) => world.replaceWorker({ ...cloud.provider, ...parts }),
    refuseMachineLists: () => {
      world.onRequest = before({ verb: 'list', resource: MACHINES }, () => {
        throw new KubeError(403, 'Forbidden', 'machines must not be listed');
      });
    },
  };
}

describe('a look-up for a Machine whose former self left instances', () => {
  it('adopts the oldest of them, and no other', async () => {
    const { find, ids, tagsOf } = await adopting(FORMER, FORMER);
    expect(await find()).toMatchObject({ instances: ids.slice(0, 1) });
    expect(ids.map((id) => tagsOf(id)?.['machineUid'])).toEqual(['uid-of-web', 'uid-before']);
  });

  it('finds the one of its own that lives, and adopts none beside it, not even an older one', async () => {
    const { find, ids, tagsOf } = await adopting(FORMER, OWN);
    expect(await find()).toMatchObject({ instances: ids.slice(1) });
    expect(tagsOf(ids[0])).toEqual(FORMER);
  });

  it('adopts one where its own has ended, and still tells of that', async () => {
    const { find, ids, cloud, tagsOf } = await adopting(OWN, FORMER);
    await cloud.end(ids[0] ?? '');
    expect(await find()).toMatchObject({ instances: ids });
    expect(tagsOf(ids[1])).toMatchObject(OWN);
  });

  it('still names what is nobody’s for certain, where it adopts another', async () => {
    const { find, ids } = await adopting({ ...LEFT, clusterUid: 'elsewhere' }, FORMER);
    expect(await find()).toMatchObject({ instances: ids.slice(1), another: expect.stringContaining(ids[0] ?? '') });
  });
});

describe('a look-up for a Machine that may adopt none of what has its name', () => {
  it('names what is nobody’s for certain, and not what is another Machine’s', async () => {
    const { find, ids, world } = await adopting(LEFT, LEFT);
    await world.addLaunched({ name: 'web', namespace: 'elsewhere' });
    const both = expect.stringContaining([...ids].sort().join(' and '));
    expect(await find()).toMatchObject({ instances: [], another: both });
  });

  it('finds nothing where all are another Machine’s', async () => {
    const { find, world, tagsOf } = await adopting();
    const other = await world.addLaunched({ name: 'web', namespace: 'elsewhere' });
    expect(await find()).toEqual({ outcome: 'answered', instances: [], lookedAt: expect.any(Number) });
    expect(tagsOf(other.id)).toMatchObject({ machineUid: other.target.ref.uid });
  });

  it('adopts none that only has the name, where one of its own lives', async () => {
    const { find, ids, tagsOf } = await adopting(OWN, LEFT);
    expect(await find()).toMatchObject({ instances: ids.slice(0, 1) });
    expect(tagsOf(ids[1])).toEqual(LEFT);
  });
});

describe('whose an instance is', () => {
  it('is told without a list of the Machines where the tags of all tell that they are its own', async () => {
    const living = await adopting(OWN, FORMER);
    living.refuseMachineLists();
    expect(await living.find()).toMatchObject({ instances: living.ids.slice(0, 1) });
    const { find, ids, cloud, refuseMachineLists } = await adopting(OWN);
    await cloud.end(ids[0] ?? '');
    refuseMachineLists();
    expect(await find()).toMatchObject({ instances: ids });
  });

  it('is told without a list of its cluster’s instances where the Machines and its tags tell', async () => {
    const noLists = { list: () => Promise.reject(new ProviderError('Throttled', 'no lists')) };
    const former = await adopting(FORMER);
    former.change(noLists);
    expect(await former.find()).toMatchObject({ outcome: 'answered', instances: former.ids });
    const foreign = await adopting({ ...LEFT, cluster: 'c2' });
    foreign.change(noLists);
    expect(await foreign.look(foreign.ids[0])).toMatchObject({ outcome: 'foreign' });
    const namesake = await adopting(LEFT);
    namesake.change(noLists);
    expect(await namesake.look(namesake.ids[0])).toMatchObject({ outcome: 'failed', failure: { code: 'Throttled' } });
  });
});

describe('an instance that is adopted', () => {
  it('is noted before it is tagged; the note is told where a look shows it as another’s', async () => {
    const { world, cloud, ids, look, terminate, find, claimOf } = await adopting(LEFT);
    const [id] = ids;
    cloud.fail({ action: 'tag', code: 'ServiceUnavailable', times: 1 });
    expect(await look(id)).toMatchObject({ outcome: 'failed' });
    const claim = claimOf();
    expect(claim).toMatch(new RegExp(`^${id} \\d{4}-.*Z$`));
    world.kube.drop(CLUSTERS, 'default', 'c1');
    expect(await look(id)).toMatchObject({ outcome: 'foreign', claim });
    expect(await terminate(id)).toMatchObject({ outcome: 'foreign', claim });
    expect(await find()).toMatchObject({ another: expect.stringContaining(id ?? ''), claim });
  });

  it('is not recorded where somebody else tagged it at the same moment', async () => {
    const { look, ids, change, cloud } = await adopting(LEFT);
    change({ claim: (_credentials, id) => cloud.tag(id, { machineUid: 'other' }) });
    const message = expect.stringContaining('shows the uid other');
    expect(await look(ids[0])).toMatchObject({ outcome: 'failed', failure: { code: 'Aborted', message } });
  });

  it('is not recorded while a look at it does not show the uid', async () => {
    const { look, ids, change } = await adopting(LEFT);
    change({ claim: async () => {} });
    const message = expect.stringMatching(/a look at it shows the uid of nobody; it is looked at again/);
    expect(await look(ids[0])).toMatchObject({ outcome: 'failed', failure: { code: 'Aborted', message } });
  });

  it('is not recorded where a look does not show it any more', async () => {
    const { look, ids, change, cloud } = await adopting(LEFT);
    change({ claim: async (_credentials, id) => cloud.vanish(id) });
    const message = expect.stringContaining('shows no such instance');
    expect(await look(ids[0])).toMatchObject({ outcome: 'failed', failure: { code: 'Aborted', message } });
  });

  it('is neither noted nor tagged where another Machine has the name by now', async () => {
    const { look, ids, world, tagsOf, claimOf } = await adopting(LEFT);
    world.onRequest = before({ verb: 'apply', resource: MACHINES }, () => {
      world.addMachine({ name: 'web', metadata: { uid: 'uid-anew' } });
    });
    await expect(look(ids[0])).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect([claimOf(), tagsOf(ids[0])]).toEqual([undefined, LEFT]);
  });
});
