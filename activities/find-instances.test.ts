import { beforeEach, describe, expect, it } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { tokenOf } from '../k8s/launch-token.ts';
import { CLAIM_ANNOTATION } from '../k8s/model/claim.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { delay } from '../providers/clock.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID, World } from '../test/world/world.ts';
import type { FindInstances } from '../workflows/machine/instance-activities.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';
import { given } from '../providers/given.ts';

/** As the Machine API leaves an instance. */
const LEFT = { cluster: 'c1', name: 'web' };
const NOTHING = { outcome: 'answered', instances: [], lookedAt: expect.any(Number) };

let world: World;
beforeEach(() => {
  world = new World(ownClock());
});

const allowAdoption = () => world.kube.put(aCluster());
const launch = async (tags: Parameters<World['cloud']['launch']>[0], token?: string) =>
  (await world.cloud.launch(tags, token)).id;
const tagsOf = (id: string) => world.cloud.instance(id)?.tags;
const find = (target: MachineTarget, more: Pick<FindInstances, 'token' | 'ownOnly'> = {}) =>
  world.run((on) => on.findInstances({ ...target, clusterName: 'c1', ...more }));

describe('a look-up of a Machine’s instances', () => {
  it('adopts the one that its former self was launched with, where the operator allowed the cluster', async () => {
    const former = { namespace: 'default', machineUid: 'uid-before', clusterUid: CLUSTER_UID };
    const id = await launch({ ...LEFT, ...former });
    const target = world.addMachine({ name: 'web' });
    expect(await find(target)).toMatchObject({ instances: [], another: expect.stringContaining(id) });
    allowAdoption();
    expect(await find(target)).toMatchObject({ instances: [{ id, machineUid: target.ref.uid }] });
    expect(tagsOf(id)).toMatchObject({ machineUid: target.ref.uid });
  });

  it('adopts nothing beside a launch that is under way', async () => {
    allowAdoption();
    const id = await launch(LEFT);
    const target = world.addMachine({ name: 'web' });
    const token = tokenOf(target.ref.uid, 1);
    expect(await find(target, { token })).toEqual(NOTHING);
    const own = await launch({ cluster: 'c1' }, token);
    expect(await find(target, { token })).toMatchObject({ instances: [{ id: own }] });
    expect(tagsOf(id)).toEqual(LEFT);
  });

  it('adopts nothing where only its own are looked for', async () => {
    allowAdoption();
    const id = await launch(LEFT);
    const target = world.addMachine({ name: 'web' });
    expect(await find(target, { ownOnly: true })).toEqual(NOTHING);
    expect(tagsOf(id)).toEqual(LEFT);
  });

  it('finds beside a launch that is under way what its uid or its token makes the Machine’s', async () => {
    const { target, id } = await world.addLaunched({ name: 'web' });
    const token = tokenOf(target.ref.uid, 2);
    expect(await find(target, { token })).toMatchObject({ instances: [{ id }] });
    world.cloud.vanish(id);
    const another = await launch({ machineUid: 'somebody else wrote this' }, token);
    expect(await find(target, { token })).toMatchObject({ instances: [{ id: another }] });
  });

  it('tells what the Machine claimed only where something is found that is another’s', async () => {
    const metadata = { annotations: { [CLAIM_ANNOTATION]: 'i-1 long ago' } };
    const target = world.addMachine({ name: 'web', metadata });
    expect(await find(target)).toEqual(NOTHING);
    await launch(LEFT);
    expect(await find(target)).toMatchObject({ another: expect.any(String), claim: 'i-1 long ago' });
  });

  it('fails where the Machines cannot be listed, instead of finding nothing', async () => {
    allowAdoption();
    await launch(LEFT);
    world.onRequest = before({ verb: 'list', resource: MACHINES }, () => {
      throw new KubeError(403, 'Forbidden', 'machines must not be listed');
    });
    await expect(find(world.addMachine({ name: 'web' }))).rejects.toThrow('machines must not be listed');
  });
});

describe('a look-up that the cloud answers late', () => {
  const TAKES_MS = 3000;
  const AWAY_MS = 10_000;

  /** The Machine web, whose own are looked for; the cloud has answered, and nobody knows it yet. */
  async function askedBefore(token?: string) {
    const target = world.addMachine({ name: 'web' });
    world.cloud.onRequest = async (_request, carryOut) => {
      await delay(world.clock, TAKES_MS);
      return carryOut();
    };
    const askedAt = world.clock.timeOfDay();
    expect(await find(target, { ownOnly: true, ...given({ token }) })).toMatchObject({
      outcome: 'failed',
      failure: { cloudCode: 'CloudNotAnswering' },
    });
    await world.clock.goAhead(AWAY_MS);
    world.cloud.onRequest = (_request, carryOut) => carryOut();
    return { target, askedAt };
  }

  it('is told to the one who asks the same again, with when it was made', async () => {
    const { target, askedAt } = await askedBefore();
    const again = await find(target, { ownOnly: true });
    if (again.outcome !== 'answered') throw new Error(again.outcome);
    expect(again.agoMs).toBeGreaterThanOrEqual(AWAY_MS);
    expect(again.lookedAt).toBeGreaterThanOrEqual(askedAt);
    expect(again.lookedAt).toBeLessThan(askedAt + TAKES_MS);
  });

  it('is not told to another Machine, or to who asks for another token, or for more than its own', async () => {
    const { target } = await askedBefore('t');
    const other = world.addMachine({ name: 'other' });
    expect(await find(other, { ownOnly: true, token: 't' })).not.toHaveProperty('agoMs');
    expect(await find(target, { ownOnly: true, token: 'u' })).not.toHaveProperty('agoMs');
    expect(await find(target, { token: 't' })).not.toHaveProperty('agoMs');
  });
});
