import { CLOUD_NOT_ANSWERING } from '../providers/provider.ts';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ActivityWorld, CLUSTER_UID, HOME, NOW } from '../test/unit/activity-world.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { INSTANT } from '../devstack/doubles/cloud/json-front/cloud-test-client.ts';
import { tokenOf } from '../k8s/launch-token.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';
import { given } from '../providers/given.ts';

jest.setTimeout(30_000);

let world: ActivityWorld;
beforeEach(async () => {
  world = await ActivityWorld.open();
});
afterEach(() => world.close());

/** As the Machine API leaves an instance: a Name, a cluster, no uid. */
const left = (name = 'web') => ({ cluster: 'c1', name });
const providerIDOf = (id: string) => `simulated:///zone-a/${id}`;

/** A Machine that was launched by us, with its instance on record, and the tags that it was launched with. */
async function launched(name: string, namespace = 'default'): Promise<{ target: MachineTarget; id: string }> {
  const uid = `uid-${namespace}-${name}`;
  const token = tokenOf(uid, 1);
  const tags = { cluster: 'c1', namespace, name, machineUid: uid, clusterUid: CLUSTER_UID };
  const id = await world.cloud.client.launchId({ clientToken: token, tags });
  return { target: world.machine(name, { namespace, providerID: providerIDOf(id), status: statusOf(id, token) }), id };
}

function statusOf(instanceId: string, token: string, account?: string): object {
  const parameters = {
    provider: 'simulated',
    credentials: { namespace: 'default', region: 'sim-1' },
    zone: 'zone-a',
    instanceType: 'sim.small',
    request: {},
  };
  const launch = { attempt: 1, token, preparedAt: NOW, specHash: 'h', parameters, idempotency: 'token' };
  return {
    phase: 'Running',
    providerStatus: { instanceId, instanceState: 'running', launch, ...given({ account }) },
    observedGeneration: 1,
  };
}

const look = (target: MachineTarget, id: string) => world.run((on) => on.lookAtInstance({ ...target, id }));
const terminate = (target: MachineTarget, id: string) =>
  world.run((on) => on.terminateInstance({ ...target, id, lookAfterMs: 10 }));
const find = (target: MachineTarget, token?: string) =>
  world.run((on) => on.findInstances({ ...target, clusterName: 'c1', ...given({ token }) }));

describe('a Machine that names an instance by its providerID', () => {
  it('adopts it where the operator allowed its cluster: the uid is written first', async () => {
    world.clusterObject('c1');
    const id = await world.launch(left());
    const target = world.machine('web', { providerID: providerIDOf(id) });
    expect(await look(target, id)).toMatchObject({ outcome: 'found', instance: { id, machineUid: target.ref.uid } });
    expect(await world.tagsOf(id)).toMatchObject({
      machineUid: target.ref.uid,
      namespace: 'default',
      clusterUid: CLUSTER_UID,
    });
    expect(await look(target, id)).toMatchObject({ outcome: 'found' });
  });

  it('neither adopts nor ends one of a cluster that only its own label brings', async () => {
    const id = await world.launch(left());
    const target = world.machine('web', { providerID: providerIDOf(id) });
    const refused = { outcome: 'foreign', message: expect.stringContaining('--cluster-names') };
    expect(await look(target, id)).toEqual(refused);
    expect(await terminate(target, id)).toEqual(refused);
    expect(await world.stateOf(id)).toBe('running');
    expect(await world.tagsOf(id)).toEqual(left());
  });

  it('neither adopts nor ends one of another name, of no cluster, or of a living Machine of any namespace', async () => {
    world.clusterObject('c1');
    const other = await launched('db', 'elsewhere');
    for (const id of [await world.launch(left('database')), await world.launch({ name: 'web' }), other.id]) {
      const target = world.machine('web', { providerID: providerIDOf(id) });
      expect(await look(target, id)).toMatchObject({ outcome: 'foreign' });
      expect(await terminate(target, id)).toMatchObject({ outcome: 'foreign' });
      expect(await world.stateOf(id)).toBe('running');
    }
  });

  it('does not adopt one while a second living instance answers to the name', async () => {
    world.clusterObject('c1');
    const [id, second] = [await world.launch(left()), await world.launch(left())];
    const target = world.machine('web', { providerID: providerIDOf(id) });
    expect(await look(target, id)).toMatchObject({ outcome: 'foreign', message: expect.stringContaining(second) });
    await world.cloud.client.operate(second, 'terminate');
    expect(await look(target, id)).toMatchObject({ outcome: 'found' });
  });

  it('is told of one that ended, and tags nothing', async () => {
    world.clusterObject('c1');
    const id = await world.launch(left());
    await world.cloud.client.operate(id, 'terminate');
    const target = world.machine('web', { providerID: providerIDOf(id) });
    expect(await look(target, id)).toMatchObject({ outcome: 'found', instance: { state: 'terminated' } });
    expect(await terminate(target, id)).toEqual({ outcome: 'asked', state: 'terminated' });
    expect((await world.cloud.client.ledger()).calls.filter(({ action }) => action === 'tag')).toEqual([]);
  });

  it('is not told that it has the instance while a look does not show its tags', async () => {
    world.clusterObject('c1');
    const id = await world.launch(left());
    const target = world.machine('web', { providerID: providerIDOf(id) });
    await world.cloud.client.behave('*', { failures: [{ action: 'tag', code: 'UnauthorizedOperation' }] });
    expect(await look(target, id)).toMatchObject({ outcome: 'failed', failure: { code: 'PermissionDenied' } });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'failed' });
    expect(await world.stateOf(id)).toBe('running');
  });

  it('is not told that it has one that somebody else tagged at the same moment', async () => {
    world.clusterObject('c1');
    const id = await world.launch(left());
    const target = world.machine('web', { providerID: providerIDOf(id) });
    world.afterClaim = async () =>
      void (await world.cloud.client.operate(id, 'tags', { tags: { machineUid: 'other' } }));
    const failure = expect.objectContaining({ code: 'Aborted', message: expect.stringContaining('the uid other') });
    expect(await look(target, id)).toEqual({ outcome: 'failed', failure });
  });

  it('is allowed by the option of the worker, too', async () => {
    await world.close();
    world = await ActivityWorld.open({ clusterNames: ['default/c1'] });
    const id = await world.launch(left());
    expect(await look(world.machine('web', { providerID: providerIDOf(id) }), id)).toMatchObject({ outcome: 'found' });
    const elsewhere = world.machine('web', { namespace: 'elsewhere', providerID: providerIDOf(id) });
    expect(await look(elsewhere, id)).toMatchObject({ outcome: 'foreign' });
  });
});

describe('a Machine that was launched', () => {
  it('keeps and ends its instance without anybody’s leave, and without a list of all Machines', async () => {
    const { target, id } = await launched('web');
    world.refused.add('machines');
    expect(await look(target, id)).toMatchObject({ outcome: 'found', instance: { id } });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'asked' });
    expect(await world.stateOf(id)).toBe('terminated');
  });

  it('ends no other instance than its own, although its status was edited to name it', async () => {
    const { target } = await launched('web');
    const other = await launched('db');
    world.machine('web', { status: statusOf(other.id, tokenOf(target.ref.uid, 1)) });
    expect(await look(target, other.id)).toMatchObject({ outcome: 'foreign' });
  });

  it('keeps one whose tags somebody took off', async () => {
    const { target } = await launched('web');
    const id = await world.launch({});
    world.machine('web', { status: statusOf(id, tokenOf(target.ref.uid, 1)) });
    expect(await look(target, id)).toMatchObject({ outcome: 'found' });
  });
});

describe('credentials that lead to another account than the one on record', () => {
  const changed = {
    outcome: 'failed',
    failure: expect.objectContaining({
      cloudCode: 'AccountChanged',
      message: expect.stringContaining(
        "lead to account other, and the machine's instance was launched in, or is in, account home-account",
      ),
    }),
  };

  async function recorded(): Promise<{ target: MachineTarget; id: string }> {
    const { target, id } = await launched('web');
    world.machine('web', { status: statusOf(id, tokenOf(target.ref.uid, 1), HOME) });
    return { target, id };
  }

  it('make a look that finds nothing a failed one, not an absence', async () => {
    const { target, id } = await recorded();
    world.account = 'other';
    expect(await look(target, id)).toEqual(changed);
    world.account = HOME;
    expect(await look(target, id)).toMatchObject({ outcome: 'found' });
  });

  it('make a look-up that finds nothing a failed one', async () => {
    const { target, id } = await recorded();
    await world.cloud.client.operate(id, 'vanish');
    world.account = 'other';
    expect(await find(target)).toEqual(changed);
    world.account = HOME;
    expect(await find(target)).toMatchObject({ outcome: 'answered', instances: [] });
  });

  it('make a termination that finds nothing a failed one', async () => {
    const { target, id } = await recorded();
    await world.cloud.client.operate(id, 'vanish');
    world.account = 'other';
    expect(await terminate(target, id)).toEqual(changed);
    world.account = HOME;
    expect(await terminate(target, id)).toEqual({ outcome: 'unknownInstance' });
  });

  it('are taken for the right ones where nobody tells the account', async () => {
    const { target, id } = await recorded();
    await world.cloud.client.operate(id, 'vanish');
    world.account = undefined;
    expect(await look(target, id)).toEqual({ outcome: 'absent' });
  });
});

describe('what is no id of the cloud', () => {
  it.each(['*', '', 'i-*'])('"%s" shares no call with other Machines’ ids, and is nobody’s', async (id) => {
    const { target: other, id: running } = await launched('other');
    const target = world.machine('web', { providerID: providerIDOf(id) });
    const [own, its] = await Promise.all([look(target, id), look(other, running)]);
    expect(own).toEqual({
      outcome: 'foreign',
      message: expect.stringContaining('is no id of an instance of simulated'),
    });
    expect(its).toMatchObject({ outcome: 'found' });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'foreign' });
    expect(world.described).toEqual([[running]]);
  });

  it('is an error of the Machine that has it on record beside a launch of its own: what it launched is another', async () => {
    const uid = 'uid-default-web';
    const target = world.machine('web', { status: statusOf('*', tokenOf(uid, 1)) });
    const failed = { outcome: 'failed', failure: expect.objectContaining({ code: 'InvalidArgument' }) };
    expect(await look(target, '*')).toEqual(failed);
    expect(await terminate(target, '*')).toEqual(failed);
    expect(world.described).toEqual([]);
  });
});

describe('a Machine whose status was copied from another', () => {
  async function copied() {
    const original = await launched('web');
    const status = world.stored('web')?.status ?? {};
    const providerID = providerIDOf(original.id);
    const target = world.machine('web', { namespace: 'restored', providerID, status });
    return { original, target };
  }

  it('has no instance by it, and does not end the original’s', async () => {
    const { original, target } = await copied();
    expect(await look(target, original.id)).toMatchObject({ outcome: 'foreign' });
    expect(await terminate(target, original.id)).toMatchObject({ outcome: 'foreign' });
    expect(await world.stateOf(original.id)).toBe('running');
  });

  it('loses it and the providerID when it is first seen, says so, and launches an instance of its own', async () => {
    const { original, target } = await copied();
    const seen = await world.run((on) => on.observeMachine(target));
    expect(seen).toMatchObject({ found: true, machine: { status: { phase: 'Provisioning', conditions: [] } } });
    const copy = world.stored('web', 'restored');
    expect(copy?.spec).not.toHaveProperty('providerID');
    expect(copy?.status).toEqual({ phase: 'Provisioning' });
    expect(world.events).toMatchObject([{ name: 'web', type: 'Warning', reason: 'CopiedStatus' }]);
    expect(await find(target)).toEqual({ outcome: 'answered', instances: [], lookedAt: expect.any(Number) });

    const status = { addresses: [], conditions: [] };
    const prepared = await world.run((on) => on.prepareLaunch({ ...target, attempt: 1, replace: false, status }));
    if (prepared.outcome !== 'prepared') throw new Error(prepared.outcome);
    expect(prepared.launch.token).toBe(tokenOf(target.ref.uid, 1));
    const request = { ...target, clusterName: 'c1', launch: prepared.launch, lookFirst: true };
    const answer = await world.run((on) => on.launchInstance(request));
    expect(answer).toMatchObject({ outcome: 'instance', found: false, instance: { machineUid: target.ref.uid } });
    expect(await world.stateOf(original.id)).toBe('running');
  });

  it('keeps the providerID where the original is gone, and may be that one’s instance’s next Machine', async () => {
    world.clusterObject('c1');
    const original = await launched('web');
    const status = world.stored('web')?.status ?? {};
    const target = world.machine('web', {
      providerID: providerIDOf(original.id),
      status,
      metadata: { uid: 'uid-anew' },
    });
    const anew = { ...target, ref: { ...target.ref, uid: 'uid-anew' } };
    const machine = { providerID: providerIDOf(original.id), status: { phase: 'Provisioning' } };
    expect(await world.run((on) => on.observeMachine(anew))).toMatchObject({ machine });
    expect(await look(anew, original.id)).toMatchObject({ outcome: 'found', instance: { machineUid: 'uid-anew' } });
  });

  it('is left alone while it is paused', async () => {
    const { target } = await copied();
    const metadata = { annotations: { 'cluster.x-k8s.io/paused': '' } };
    world.machine('web', {
      namespace: 'restored',
      metadata,
      status: world.stored('web', 'restored')?.status ?? {},
    });
    expect(await world.run((on) => on.observeMachine(target))).toMatchObject({ machine: { paused: true } });
    expect(world.stored('web', 'restored')?.status).toHaveProperty('providerStatus.launch');
    expect(world.events).toEqual([]);
  });
});

describe('the load balancers in the spec of a Machine that launched nothing', () => {
  const ask = async (target: MachineTarget, id: string) => {
    await world.run((on) => on.attachLoadBalancers({ ...target, id }));
    await world.run((on) => on.detachLoadBalancers({ ...target, id }));
    return world.balanced.splice(0);
  };

  it('are told of the instance that it adopted, and of no other that its status names', async () => {
    world.clusterObject('c1');
    const [id, other] = [await world.launch(left()), (await launched('db')).id];
    const named = (name: string, instanceId: string) =>
      world.machine(name, { status: { providerStatus: { instanceId, instanceState: 'running' } } });
    const target = named('web', id);
    expect(await ask(target, id)).toEqual([]);
    await look(target, id);
    expect(await ask(target, id)).toEqual([`register ${id}`, `deregister ${id}`]);
    expect(await ask(named('thief', other), other)).toEqual([]);
  });
});

describe('a look-up of a Machine’s instances', () => {
  it('adopts the one that its former self was launched with, where the operator allowed the cluster', async () => {
    const tags = {
      cluster: 'c1',
      namespace: 'default',
      name: 'web',
      machineUid: 'uid-before',
      clusterUid: CLUSTER_UID,
    };
    const id = await world.launch(tags);
    const target = world.machine('web');
    expect(await find(target)).toMatchObject({ instances: [], another: expect.stringContaining(id) });
    world.clusterObject('c1');
    expect(await find(target)).toMatchObject({ instances: [{ id, machineUid: target.ref.uid }] });
    expect(await world.tagsOf(id)).toMatchObject({ machineUid: target.ref.uid });
  });

  it('names what it finds and may not adopt, but not what is certainly another Machine’s', async () => {
    world.clusterObject('c1');
    const other = await launched('web', 'elsewhere');
    const target = world.machine('web');
    expect(await find(target)).toEqual({ outcome: 'answered', instances: [], lookedAt: expect.any(Number) });
    const both = [await world.launch(left()), await world.launch(left())].sort().join(' and ');
    expect(await find(target)).toMatchObject({ instances: [], another: expect.stringContaining(both) });
    expect(await world.tagsOf(other.id)).toMatchObject({ machineUid: other.target.ref.uid });
  });

  it('adopts nothing beside a launch that is under way', async () => {
    world.clusterObject('c1');
    const id = await world.launch(left());
    const target = world.machine('web');
    const token = tokenOf(target.ref.uid, 1);
    expect(await find(target, token)).toEqual({ outcome: 'answered', instances: [], lookedAt: expect.any(Number) });
    const own = await world.cloud.client.launchId({ clientToken: token, tags: { cluster: 'c1' } });
    expect(await find(target, token)).toMatchObject({ instances: [{ id: own }] });
    expect(await world.tagsOf(id)).toEqual(left());
  });

  it('adopts nothing where one of its own lives', async () => {
    world.clusterObject('c1');
    const { target, id } = await launched('web');
    const second = await world.launch(left());
    const answer = await find(target);
    expect(answer).toMatchObject({ instances: [{ id }], another: expect.stringContaining(second) });
    expect(answer.outcome === 'answered' && answer.instances).toHaveLength(1);
    expect(await world.tagsOf(second)).toEqual(left());
  });

  it('fails where the Machines cannot be listed, instead of finding nothing', async () => {
    world.clusterObject('c1');
    await world.launch(left());
    world.refused.add('machines');
    await expect(find(world.machine('web'))).rejects.toThrow('machines must not be listed');
  });
});

describe('an end of an instance', () => {
  it('waits while the Machine is paused, also where that was set a moment ago', async () => {
    const { target, id } = await launched('web');
    await world.run((on) => on.observeMachine(target));
    const metadata = { annotations: { [PAUSED_ANNOTATION]: '' } };
    await world.kube.others.mergePatch(MACHINES, 'default', 'web', { metadata });
    await delay(1100);
    await expect(terminate(target, id)).rejects.toThrow('it is paused');
    expect(await world.stateOf(id)).toBe('running');
  });

  it('is told with the state that the instance has a moment later', async () => {
    await world.cloud.client.behave('*', { ...INSTANT, terminateMs: 300 });
    const { target, id } = await launched('web');
    const request = { ...target, id, lookAfterMs: 500 };
    expect(await world.run((on) => on.terminateInstance(request))).toEqual({ outcome: 'asked', state: 'terminated' });
  });

  it('is asked on, and not waited for, after two seconds without an answer, where a workflow task waits for it', async () => {
    const { target, id } = await launched('web');
    await world.cloud.client.behave('*', { failures: [{ action: 'terminate', answer: 'hang' }] });
    const failure = expect.objectContaining({ cloudCode: CLOUD_NOT_ANSWERING });
    expect(await terminate(target, id)).toEqual({ outcome: 'failed', failure });
  });

  it('does not happen where the look that has to prove it was made in another account', async () => {
    const { target, id } = await launched('web');
    const status = { providerStatus: { instanceId: id, instanceState: 'running', account: HOME } };
    world.machine('web', { status });
    world.account = 'other';
    const failure = expect.objectContaining({ cloudCode: 'AccountChanged' });
    expect(await terminate(target, id)).toEqual({ outcome: 'failed', failure });
  });
});

describe('where an instance is looked for', () => {
  const frozen = { namespace: 'default', secretName: 'then', region: 'sim-1' };

  it('is where its launch was frozen for, whatever the spec says since', async () => {
    const { target, id } = await launched('web');
    const parameters = { provider: 'simulated', credentials: frozen, zone: 'z', instanceType: 't', request: {} };
    await world.run((on) => on.lookAtInstance({ ...target, id, parameters }));
    expect(world.credentials).toEqual([frozen]);
  });

  it('is where it was adopted, and told when it is not on record yet', async () => {
    world.clusterObject('c1');
    const id = await world.launch(left());
    const target = world.machine('web', { providerID: providerIDOf(id) });
    const cloud = { provider: 'simulated', credentials: { namespace: 'default', region: 'sim-1' } };
    expect(await look(target, id)).toMatchObject({ cloud });
    const status = {
      providerStatus: { instanceId: id, instanceState: 'running', cloud: { ...cloud, credentials: frozen } },
    };
    const recorded = world.machine('later', { status });
    expect(await look(recorded, id)).not.toHaveProperty('cloud');
    expect(world.credentials.at(-1)).toEqual(frozen);
  });

  it('is nowhere for a Machine of another cluster, one that is gone, or one that is malformed', async () => {
    const { target, id } = await launched('web');
    const elsewhere = { ...target, clusterUid: 'another' };
    await expect(look(elsewhere, id)).rejects.toThrow('this worker serves the cluster');
    await expect(world.run((on) => on.lookAtLeftover({ ...elsewhere, ...leftover(id) }))).rejects.toThrow('serves');
    const gone = { ...target, ref: { ...target.ref, uid: 'uid-before' } };
    await expect(look(gone, id)).rejects.toThrow('is gone');
    await expect(terminate(world.machine('bad', { status: { phase: 7 } }), id)).rejects.toThrow('phase');
    expect(await world.stateOf(id)).toBe('running');
  });
});

const leftover = (id: string) => ({
  id,
  cloud: { provider: 'simulated', credentials: { namespace: 'default', region: 'sim-1' } },
});

describe('what a Machine that is gone left behind', () => {
  const lookAtLeftover = (target: MachineTarget, id: string) =>
    world.run((on) => on.lookAtLeftover({ ...target, ...leftover(id) }));

  it('is gone only where the cloud shows that it ended', async () => {
    const { target, id } = await launched('web');
    expect(await lookAtLeftover(target, id)).toEqual({ outcome: 'there' });
    await world.cloud.client.operate(id, 'terminate');
    expect(await lookAtLeftover(target, id)).toEqual({ outcome: 'gone' });
    expect(await lookAtLeftover(target, 'i-00000000000000000')).toEqual({ outcome: 'unknown' });
    expect(await lookAtLeftover(target, '*')).toEqual({ outcome: 'unknown' });
    expect(world.described.flat()).not.toContain('*');
  });

  it('is looked at again while the cloud is away, and unknown where it refuses', async () => {
    const { target, id } = await launched('web');
    await world.cloud.client.behave('*', { failures: [{ action: 'describe', code: 'ServiceUnavailable' }] });
    await expect(lookAtLeftover(target, id)).rejects.toThrow('ServiceUnavailable');
    await world.cloud.client.behave('*', { failures: [{ action: 'describe', code: 'UnauthorizedOperation' }] });
    expect(await lookAtLeftover(target, id)).toEqual({ outcome: 'unknown' });
  });
});
