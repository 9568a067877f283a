import { beforeEach, describe, expect, test } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { CLUSTERS, MACHINE_CLASSES } from '../k8s/dialects/openshift/resources.ts';
import type { Resource } from '../k8s/resources.ts';
import { delay } from '../providers/clock.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { aMachine, type MachineFacts } from '../test/world/builders/a-machine.ts';
import { aCredentialsSecret } from '../test/world/builders/a-secret.ts';
import { MADE_AT, refOf } from '../test/world/builders/metadata.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID, World } from '../test/world/world.ts';
import { workflowIdOf } from '../workflows/ids.ts';

const PAUSED = { waiting: { step: 'Paused', reason: 'Paused', message: 'it is paused', since: MADE_AT } };

let world: World;
beforeEach(() => {
  world = new World(ownClock());
});

const takeInventory = (clusterUid = CLUSTER_UID) => world.activities.takeInventory({ clusterUid });

/** Puts a Machine there whose instance was found with credentials of its own. @param instanceId none that the cloud shows, unless it says so */
function add(name: string, secretName: string, instanceId = 'i-00000000000000000', facts: MachineFacts = {}): void {
  world.kube.put(aCredentialsSecret(secretName));
  const cloud = { provider: 'simulated', credentials: { namespace: 'default', secretName } };
  world.addMachine({ name, instanceId, providerStatus: { cloud }, ...facts });
}

/** What a Machine says that waits for the end of a pause. */
const waiting = (name: string, facts: MachineFacts = {}) => world.addMachine({ name, status: PAUSED, ...facts });
const refOfMachine = (name: string) => refOf(aMachine({ name }));
const instance = async (tags: Record<string, string> = { cluster: 'c1' }) => (await world.cloud.launch(tags)).id;
const refuseList = (resource: Resource) => {
  world.onRequest = before({ verb: 'list', resource }, () => {
    throw new KubeError(403, 'No', `no ${resource.plural}`);
  });
};
/** A listing whose answer does not come before it is given up. */
const rejectedAtEnd = (ended: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    ended.addEventListener('abort', () => reject(new ProviderError('Canceled', 'given up')));
  });
/** Credentials and cluster of each listing. */
const listed = () =>
  world.cloud.asked('describe').flatMap(({ bearer, filters }) => (filters?.cluster ? [[bearer, filters.cluster]] : []));

describe('an inventory', () => {
  test('is refused where it is of another cluster, and another worker may take it', async () => {
    await expect(takeInventory('another')).rejects.toMatchObject({ type: 'ForeignCluster', nonRetryable: false });
  });

  test('asks the cloud for nothing where no Machine has an instance', async () => {
    world.addMachine();
    expect(await takeInventory()).toMatchObject({ machines: 0, woken: 0, problems: [] });
    expect(world.cloud.requests).toEqual([]);
  });

  test('lists several credentials at once, and no more than eight', async () => {
    let now = 0;
    let most = 0;
    for (let n = 0; n < 20; n += 1) add(`m${n}`, `s${n}`, await instance({ cluster: `c${n}` }), { cluster: `c${n}` });
    world.cloud.onRequest = async (_request, carryOut) => {
      now += 1;
      most = Math.max(most, now);
      await delay(world.clock, 5);
      now -= 1;
      return carryOut();
    };
    expect(await takeInventory()).toMatchObject({ machines: 20, instances: 20, woken: 0, problems: [] });
    expect(most).toBe(8);
  });

  test('lists each cluster for itself', async () => {
    add('a', 's');
    add('b', 's', undefined, { cluster: 'c2' });
    add('c', 's');
    await takeInventory();
    expect(listed()).toEqual([
      ['s', 'c1'],
      ['s', 'c2'],
    ]);
  });

  test('wakes the machines of those credentials that answer, and tells of the others', async () => {
    add('a', 'dead');
    add('b', 'alive');
    world.cloud.onRequest = async ({ bearer }, carryOut) => {
      if (bearer === 'dead') throw new ProviderError('Unavailable', 'no answer');
      return carryOut();
    };
    expect(await takeInventory()).toMatchObject({ woken: 1, problems: ['simulated, dead: no answer'] });
    expect(world.workflows.inspected).toEqual(['b']);
  });

  test('ends in time where many credentials hang, and begins the next time with those that it did not list', async () => {
    for (let n = 100; n < 200; n += 1) add(`m${n}`, `hangs-${n}`);
    add('z', 'alive');
    world.cloud.onRequest = ({ bearer }, carryOut) => (bearer === 'alive' ? carryOut() : new Promise(() => {}));
    const startedAt = world.clock.now();
    const { woken, problems } = await takeInventory();
    // Eight at once take 10 s: the ninth eight are not done after 90 s.
    expect(world.clock.now() - startedAt).toBeLessThan(95_000);
    expect(woken).toBe(0);
    expect(problems.filter((problem) => problem.includes('no answer within'))).toHaveLength(64);
    expect(problems.at(-1)).toMatch(
      /^37 of 101 listings were not done within 90 s: simulated, hangs-164 \(c1\), .* and 27 more; the next inventory begins with them$/,
    );
    const asked = listed().length;
    expect(await takeInventory()).toMatchObject({ woken: 1 });
    expect(world.workflows.inspected).toEqual(['z']);
    expect(listed()[asked]).toEqual(['hangs-164', 'c1']);
  });

  test('concludes nothing from a listing that its end cuts off', async () => {
    add('a', 's', await instance());
    const { provider } = world.cloud;
    let isCut = true;
    const list: typeof provider.list = (...args) =>
      isCut ? rejectedAtEnd(args[2] ?? new AbortController().signal) : provider.list(...args);
    world.replaceWorker({ ...provider, list });
    expect(await takeInventory()).toMatchObject({
      woken: 0,
      problems: ['1 of 1 listings were not done within 90 s: simulated, s (c1); the next inventory begins with them'],
    });
    isCut = false;
    expect(await takeInventory()).toMatchObject({ woken: 0, instances: 1, problems: [] });
  });

  test('tells that a listing is doubted which lacks most machines at once', async () => {
    add('a', 's');
    add('b', 's');
    const { problems, woken } = await takeInventory();
    expect([problems, woken]).toEqual([
      [expect.stringContaining('2 of 2 instances of these credentials are absent')],
      1,
    ]);
  });

  test('asks by id for what the listing by tag leaves out: an adopted instance is neither absent nor doubted', async () => {
    world.replaceWorker({ ...world.cloud.provider, describeBatchSize: 2 });
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const id = await instance(name === 'a' ? undefined : {});
      if (name === 'd') world.cloud.vanish(id);
      add(name, 's', id);
      ids.push(id);
    }
    expect(await takeInventory()).toMatchObject({ woken: 1, problems: [] });
    expect(world.workflows.inspected).toEqual(['d']);
    const asked = world.cloud
      .asked('describe')
      .flatMap(({ filters }) => (filters?.instanceIds ? [filters.instanceIds] : []));
    expect(asked).toEqual([ids.slice(1, 3), ids.slice(3)]);
  });

  test('is done with the others before a defect fails it', async () => {
    const { provider } = world.cloud;
    world.replaceWorker({
      ...provider,
      list: ({ secretName }, ...rest) =>
        secretName === 'defect'
          ? Promise.reject(new TypeError('a defect'))
          : provider.list({ namespace: 'default' }, ...rest),
    });
    add('a', 'defect');
    add('b', 'alive');
    await expect(takeInventory()).rejects.toThrow('a defect');
    expect(world.workflows.inspected).toEqual(['b']);
  });

  test('goes on where the classes cannot be listed, and tells of it once', async () => {
    add('a', 's');
    refuseList(MACHINE_CLASSES);
    const { problems, woken } = await takeInventory();
    expect(problems).toEqual([
      expect.stringMatching(/^machineclasses: .* list machineclasses\.machine\.openshift\.io/),
    ]);
    expect([woken, world.workflows.inspected]).toEqual([1, ['a']]);
  });

  test('has a machine count its instances where a second living one is tagged as its own', async () => {
    const tags = { cluster: 'c1', machineUid: refOfMachine('a').uid };
    add('a', 's', await instance(tags));
    await instance(tags);
    expect(await takeInventory()).toMatchObject({ instances: 2, woken: 1 });
    expect([world.workflows.inspected, world.workflows.recounted]).toEqual([[], ['a']]);
  });

  test('compares no machine that is paused', async () => {
    add('a', 's', undefined, { paused: true });
    await takeInventory();
    expect([world.cloud.requests, world.workflows.inspected]).toEqual([[], []]);
  });

  test.each<[string, Error, string[]]>([
    ['leaves a machine whose spec names no cloud to itself', new ProviderError('InvalidArgument', 'no region'), []],
    ['tells of a machine that cannot be sorted in', new TypeError('a defect'), ['Machine default/a: a defect']],
  ])('%s, and compares the others', async (_what, error, problems) => {
    world.replaceWorker({
      ...world.cloud.provider,
      credentialsOf: () => {
        throw error;
      },
    });
    world.addMachine({ name: 'a', instanceId: await instance() });
    add('b', 's');
    expect(await takeInventory()).toMatchObject({ woken: 1, problems });
    expect(world.workflows.inspected).toEqual(['b']);
  });

  test('starts workflows again that have ended, before the cloud is asked', async () => {
    add('a', 's');
    world.addMachine({ name: 'b' });
    world.workflows.runs = { [workflowIdOf(refOfMachine('a'))]: { state: 'ended', how: 'TERMINATED', taskQueue: 'q' } };
    const startedBefore: string[][] = [];
    world.cloud.onRequest = (_request, carryOut) => {
      startedBefore.push(world.workflows.started.map(({ ref }) => ref.name));
      return carryOut();
    };
    expect(await takeInventory()).toMatchObject({ startedAgain: 1, problems: [] });
    expect(startedBefore[0]).toEqual(['a']);
  });
});

describe('a machine that waits for the end of a pause', () => {
  test('is woken where that is over, unless it cannot be known whether a Cluster is paused', async () => {
    waiting('a');
    expect(await takeInventory()).toMatchObject({ woken: 1 });
    expect(world.workflows.inspected).toEqual(['a']);
    refuseList(CLUSTERS);
    expect(await takeInventory()).toMatchObject({ woken: 0 });
  });

  test('is the only one that is woken, and only where it is fit and not paused any more', async () => {
    waiting('released');
    waiting('still-paused', { paused: true });
    world.kube.put(spoiled(aMachine({ name: 'malformed', status: PAUSED }), { spec: { providerSpec: 7 } }));
    waiting('waits-for-another-thing', { status: { waiting: { ...PAUSED.waiting, step: 'Launch' } } });
    world.addMachine({ name: 'waits-for-nothing' });
    await takeInventory();
    expect(world.workflows.inspected).toEqual(['released']);
  });

  test('is one of 500 at most that are woken in a round', async () => {
    for (let n = 0; n < 501; n += 1) waiting(`m${n}`);
    expect(await takeInventory()).toMatchObject({ woken: 500 });
    expect(world.workflows.inspected).toHaveLength(500);
  });
});
