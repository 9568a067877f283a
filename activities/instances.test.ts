import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { tokenOf } from '../k8s/launch-token.ts';
import { CLAIM_ANNOTATION } from '../k8s/model/claim.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { CLOUD_NOT_ANSWERING } from '../providers/provider-error.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { aMachine, type MachineFacts } from '../test/world/builders/a-machine.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { aCredentialsSecret } from '../test/world/builders/a-secret.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID, World } from '../test/world/world.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';
import { PASS_MS } from './machine-reader.ts';

/** The account of all instances. */
const HOME = 'home-account';

let world: World;
beforeEach(() => {
  world = new World(ownClock());
});

/** As the Machine API leaves an instance: a Name, a cluster, no uid. */
const left = (name = 'web') => ({ cluster: 'c1', name });
const providerIDOf = (id: string) => `simulated:///zone-a/${id}`;
/** The Machine web, which names an instance. */
const naming = (id: string, facts: MachineFacts = {}) =>
  world.addMachine({ name: 'web', providerID: providerIDOf(id), ...facts });
const launch = async (tags?: Parameters<World['cloud']['launch']>[0]) => (await world.cloud.launch(tags)).id;
const launched = (name: string, namespace = 'default') =>
  world.addLaunched({ name, namespace, status: { phase: 'Running', observedGeneration: 1 } });
const allowAdoption = () => world.kube.put(aCluster());
const stored = (name: string, namespace = 'default') => world.kube.peek(MACHINES, namespace, name);
const tagsOf = (id: string) => world.cloud.instance(id)?.tags;
const stateOf = (id: string) => world.cloud.instance(id)?.state;
const refuseLists = () => {
  world.onRequest = before({ verb: 'list', resource: MACHINES }, () => {
    throw new KubeError(403, 'Forbidden', 'machines must not be listed');
  });
};
/** Ids of each describe by ids. */
const described = () =>
  world.cloud.asked('describe').flatMap(({ filters }) => (filters?.instanceIds ? [filters.instanceIds] : []));
const bearers = () => world.cloud.asked('describe').map(({ bearer }) => bearer);
/** From now on all credentials lead to this account, as the cloud tells it. */
const leadTo = (account: string | undefined) => {
  const { provider } = world.cloud;
  world.replaceWorker({
    ...provider,
    accountOf: async () => account,
    describe: async (...asked) => (account === undefined || account === HOME ? provider.describe(...asked) : []),
  });
};

const look = (target: MachineTarget, id: string) => world.run((on) => on.lookAtInstance({ ...target, id }));
const terminate = (target: MachineTarget, id: string) =>
  world.run((on) => on.terminateInstance({ ...target, id, lookAfterMs: 10 }));
const find = (target: MachineTarget) => world.run((on) => on.findInstances({ ...target, clusterName: 'c1' }));

describe('a Machine that names an instance by its providerID', () => {
  it('adopts it where the operator allowed its cluster: the uid is written first', async () => {
    allowAdoption();
    const id = await launch(left());
    const target = naming(id);
    expect(await look(target, id)).toMatchObject({ outcome: 'found', instance: { id, machineUid: target.ref.uid } });
    expect(tagsOf(id)).toMatchObject({
      machineUid: target.ref.uid,
      namespace: 'default',
      clusterUid: CLUSTER_UID,
    });
    expect(await look(target, id)).toMatchObject({ outcome: 'found' });
  });

  it('says that it claimed one that is shown as another’s', async () => {
    const id = await launch(left());
    const claim = `${id} a moment ago`;
    const target = naming(id, { metadata: { annotations: { [CLAIM_ANNOTATION]: claim } } });
    expect(await look(target, id)).toMatchObject({ outcome: 'foreign', claim });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'foreign', claim });
  });

  it('neither adopts nor ends one of a cluster that only its own label brings', async () => {
    const id = await launch(left());
    const target = naming(id);
    const refused = { outcome: 'foreign', message: expect.stringContaining('--cluster-names') };
    expect(await look(target, id)).toEqual(refused);
    expect(await terminate(target, id)).toEqual(refused);
    expect(stateOf(id)).toBe('running');
    expect(tagsOf(id)).toEqual(left());
  });

  it('neither adopts nor ends one of another name, of no cluster, or of a living Machine of any namespace', async () => {
    allowAdoption();
    const other = await launched('db', 'elsewhere');
    for (const id of [await launch(left('database')), await launch({ name: 'web' }), other.id]) {
      const target = naming(id);
      expect(await look(target, id)).toMatchObject({ outcome: 'foreign' });
      expect(await terminate(target, id)).toMatchObject({ outcome: 'foreign' });
      expect(stateOf(id)).toBe('running');
    }
  });

  it('does not adopt one while a second living instance answers to the name', async () => {
    allowAdoption();
    const [id, second] = [await launch(left()), await launch(left())];
    const target = naming(id);
    expect(await look(target, id)).toMatchObject({ outcome: 'foreign', message: expect.stringContaining(second) });
    await world.cloud.end(second);
    expect(await look(target, id)).toMatchObject({ outcome: 'found' });
  });

  it('is told of one that ended, and tags nothing', async () => {
    allowAdoption();
    const id = await launch(left());
    await world.cloud.end(id);
    const target = naming(id);
    expect(await look(target, id)).toMatchObject({ outcome: 'found', instance: { state: 'terminated' } });
    expect(await terminate(target, id)).toEqual({ outcome: 'asked', state: 'terminated' });
    expect(world.cloud.asked('tag')).toEqual([]);
  });

  it('is not told that it has the instance while a look does not show its tags', async () => {
    allowAdoption();
    const id = await launch(left());
    const target = naming(id);
    world.cloud.fail({ action: 'tag', code: 'UnauthorizedOperation' });
    expect(await look(target, id)).toMatchObject({ outcome: 'failed', failure: { code: 'PermissionDenied' } });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'failed' });
    expect(stateOf(id)).toBe('running');
  });

  it('is allowed by the option of the worker, too', async () => {
    world = new World(ownClock(), { clusterNames: ['default/c1'] });
    const id = await launch(left());
    expect(await look(naming(id), id)).toMatchObject({ outcome: 'found' });
    const elsewhere = naming(id, { namespace: 'elsewhere' });
    expect(await look(elsewhere, id)).toMatchObject({ outcome: 'foreign' });
  });
});

describe('a Machine that was launched', () => {
  it('keeps and ends its instance without anybody’s leave, and without a list of all Machines', async () => {
    const { target, id } = await launched('web');
    refuseLists();
    expect(await look(target, id)).toMatchObject({ outcome: 'found', instance: { id } });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'asked' });
    expect(stateOf(id)).toBe('terminated');
  });

  it('ends no other instance than its own, although its status was edited to name it', async () => {
    const { target } = await launched('web');
    const other = await launched('db');
    world.addMachine({ name: 'web', instanceId: other.id, launch: {} });
    expect(await look(target, other.id)).toMatchObject({ outcome: 'foreign' });
    expect(await terminate(target, other.id)).toMatchObject({ outcome: 'foreign' });
    expect(stateOf(other.id)).toBe('running');
  });

  it('ends none that carries the uid of a Machine of another cluster', async () => {
    const { target } = await launched('web');
    const id = await launch({ cluster: 'c1', machineUid: 'uid-elsewhere', clusterUid: 'elsewhere' });
    world.addMachine({ name: 'web', instanceId: id, launch: {} });
    expect(await look(target, id)).toMatchObject({ outcome: 'foreign' });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'foreign' });
    expect(stateOf(id)).toBe('running');
  });

  it('has and ends none without tags that another Machine has on record, too', async () => {
    const id = await launch({});
    world.addMachine({ name: 'db', instanceId: id });
    const target = world.addMachine({ name: 'web', instanceId: id, launch: {} });
    expect(await look(target, id)).toMatchObject({ outcome: 'foreign' });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'foreign' });
    expect(stateOf(id)).toBe('running');
  });

  it('has what its token made although that carries the uid of a Machine that is gone, and tags nothing', async () => {
    const target = world.addMachine({ name: 'web' });
    const { id } = await world.cloud.launch({ machineUid: 'uid-gone' }, tokenOf(target.ref.uid, 1));
    expect(await look(target, id)).toMatchObject({ outcome: 'found', instance: { id } });
    expect(tagsOf(id)).toEqual({ machineUid: 'uid-gone' });
  });

  it('keeps one whose tags somebody took off, by its token, and ends it', async () => {
    const { target } = await launched('web');
    const { id } = await world.cloud.launch({}, tokenOf(target.ref.uid, 2));
    world.addMachine({ name: 'web', instanceId: id, launch: { attempt: 2 } });
    expect(await look(target, id)).toMatchObject({ outcome: 'found' });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'asked' });
  });

  it('has its instance looked at before the end, but where its workflow saw the launch’s answer', async () => {
    const asked = async (name: string, known: { readonly isKnownOwn?: true }) => {
      const { target, id } = await launched(name);
      world.cloud.requests.length = 0;
      const request = { ...target, id, lookAfterMs: 10, ...known };
      expect(await world.run((on) => on.terminateInstance(request))).toMatchObject({ outcome: 'asked' });
      return world.cloud.requests.map(({ action }) => action);
    };
    expect(await asked('web', { isKnownOwn: true })).toEqual(['terminate']);
    expect(await asked('db', {})).toEqual(['describe', 'terminate']);
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

  async function recorded() {
    const { target, id } = await launched('web');
    world.addMachine({ name: 'web', instanceId: id, launch: {}, providerStatus: { account: HOME } });
    return { target, id };
  }

  it('make a look that finds nothing a failed one, not an absence', async () => {
    const { target, id } = await recorded();
    leadTo('other');
    expect(await look(target, id)).toEqual(changed);
    leadTo(HOME);
    expect(await look(target, id)).toMatchObject({ outcome: 'found' });
  });

  it('make a look-up that finds nothing a failed one', async () => {
    const { target, id } = await recorded();
    world.cloud.vanish(id);
    leadTo('other');
    expect(await find(target)).toEqual(changed);
    leadTo(HOME);
    expect(await find(target)).toMatchObject({ outcome: 'answered', instances: [] });
  });

  it('make a termination that finds nothing a failed one', async () => {
    const { target, id } = await recorded();
    world.cloud.vanish(id);
    const request = { ...target, id, lookAfterMs: 10 };
    const terminateAs = (known: { readonly isKnownOwn?: true }) =>
      world.run((on) => on.terminateInstance({ ...request, ...known }));
    for (const known of [{}, { isKnownOwn: true }] as const) {
      leadTo('other');
      expect(await terminateAs(known)).toEqual(changed);
      leadTo(HOME);
      expect(await terminateAs(known)).toEqual({ outcome: 'unknownInstance' });
    }
  });

  it('leave a termination that is refused for other reasons what it is', async () => {
    const { target, id } = await recorded();
    leadTo('other');
    world.cloud.fail({ action: 'terminate', code: 'UnauthorizedOperation' });
    const request = { ...target, id, lookAfterMs: 10, isKnownOwn: true } as const;
    const failure = expect.objectContaining({ code: 'PermissionDenied' });
    expect(await world.run((on) => on.terminateInstance(request))).toEqual({ outcome: 'failed', failure });
  });

  it('are taken for the right ones where nobody tells the account, and the log says so', async () => {
    const { target, id } = await recorded();
    world.cloud.vanish(id);
    leadTo(undefined);
    const warn = jest.spyOn(world.deps.log, 'warn');
    expect(await look(target, id)).toEqual({ outcome: 'absent' });
    const told = expect.stringContaining('nobody tells which account the credentials lead to');
    expect(warn.mock.calls).toEqual([[{ object: target.ref, account: HOME }, told]]);
  });
});

describe('what is no id of the cloud', () => {
  it.each(['*', '', 'i-*'])('"%s" shares no call with other Machines’ ids, and is nobody’s', async (id) => {
    const { target: other, id: running } = await launched('other');
    const target = naming(id);
    const [own, its] = await Promise.all([look(target, id), look(other, running)]);
    expect(own).toEqual({
      outcome: 'foreign',
      message: expect.stringContaining('is no id of an instance of simulated'),
    });
    expect(its).toMatchObject({ outcome: 'found' });
    expect(await terminate(target, id)).toMatchObject({ outcome: 'foreign' });
    expect(described()).toEqual([[running]]);
  });

  it('is told by its first hundred characters', async () => {
    const id = `i-${'x'.repeat(200)}`;
    const message = expect.stringContaining(`"i-${'x'.repeat(98)}", which spec.providerID`);
    expect(await look(naming(id), id)).toMatchObject({ outcome: 'foreign', message });
  });

  it('is an error of the Machine that has it on record beside a launch of its own: what it launched is another', async () => {
    const target = world.addMachine({ instanceId: '*', launch: {} });
    const failed = { outcome: 'failed', failure: expect.objectContaining({ code: 'InvalidArgument' }) };
    expect(await look(target, '*')).toEqual(failed);
    expect(await terminate(target, '*')).toEqual(failed);
    expect(described()).toEqual([]);
  });
});

describe('a Machine whose status was copied from another', () => {
  async function copied() {
    const original = await launched('web');
    const status = stored('web')?.['status'] as NonNullable<MachineFacts['status']>;
    return { original, target: naming(original.id, { namespace: 'restored', status }), status };
  }

  it('has no instance by it, and does not end the original’s', async () => {
    const { original, target } = await copied();
    expect(await look(target, original.id)).toMatchObject({ outcome: 'foreign' });
    expect(await terminate(target, original.id)).toMatchObject({ outcome: 'foreign' });
    expect(stateOf(original.id)).toBe('running');
  });

  it('loses it and the providerID when it is first seen, says so, and launches an instance of its own', async () => {
    const { original, target } = await copied();
    const seen = await world.run((on) => on.observeMachine(target));
    expect(seen).toMatchObject({ found: true, machine: { status: { phase: 'Provisioning', conditions: [] } } });
    const copy = stored('web', 'restored');
    expect(copy).not.toHaveProperty('spec.providerID');
    expect(copy?.['status']).toEqual({ phase: 'Provisioning' });
    expect(world.events).toMatchObject([{ involvedObject: target.ref, type: 'Warning', reason: 'CopiedStatus' }]);
    expect(await find(target)).toEqual({ outcome: 'answered', instances: [], lookedAt: expect.any(Number) });

    const status = { addresses: [], conditions: [] };
    const prepared = await world.run((on) => on.prepareLaunch({ ...target, attempt: 1, replace: false, status }));
    if (prepared.outcome !== 'prepared') throw new Error(prepared.outcome);
    expect(prepared.launch.token).toBe(tokenOf(target.ref.uid, 1));
    const request = { ...target, clusterName: 'c1', launch: prepared.launch, lookFirst: true };
    const answer = await world.run((on) => on.launchInstance(request));
    expect(answer).toMatchObject({ outcome: 'instance', found: false, instance: { machineUid: target.ref.uid } });
    expect(stateOf(original.id)).toBe('running');
  });

  it('keeps the providerID where the original is gone, and may be that one’s instance’s next Machine', async () => {
    allowAdoption();
    const original = await launched('web');
    const status = stored('web')?.['status'] as NonNullable<MachineFacts['status']>;
    const anew = naming(original.id, { status, metadata: { uid: 'uid-anew' } });
    const machine = { providerID: providerIDOf(original.id), status: { phase: 'Provisioning' } };
    expect(await world.run((on) => on.observeMachine(anew))).toMatchObject({ machine });
    expect(await look(anew, original.id)).toMatchObject({ outcome: 'found', instance: { machineUid: 'uid-anew' } });
  });

  it('is left alone while it is paused', async () => {
    const { target, status } = await copied();
    world.addMachine({ name: 'web', namespace: 'restored', status, paused: true });
    expect(await world.run((on) => on.observeMachine(target))).toMatchObject({ machine: { paused: true } });
    expect(stored('web', 'restored')).toHaveProperty('status.providerStatus.launch');
    expect(world.events).toEqual([]);
  });
});

describe('the load balancers in the spec of a Machine that launched nothing', () => {
  const ask = async (target: MachineTarget, id: string) => {
    await world.run((on) => on.attachLoadBalancers({ ...target, id }));
    await world.run((on) => on.detachLoadBalancers({ ...target, id }));
    return world.cloud.balancers.calls.splice(0).map((call) => `${call.action} ${call.id}`);
  };

  it('are told of the instance that it adopted, and of no other that its status names', async () => {
    allowAdoption();
    const [id, other] = [await launch(left()), (await launched('db')).id];
    const named = (name: string, instanceId: string) =>
      world.addMachine({ name, instanceId, value: { loadBalancers: ['front'] } });
    const target = named('web', id);
    expect(await ask(target, id)).toEqual([]);
    await look(target, id);
    expect(await ask(target, id)).toEqual([`register ${id}`, `deregister ${id}`]);
    expect(await ask(named('thief', other), other)).toEqual([]);
  });
});

describe('an end of an instance', () => {
  it('waits while the Machine is paused, also where that was set a moment ago', async () => {
    const { target, id } = await launched('web');
    await world.run((on) => on.observeMachine(target));
    const metadata = { annotations: { [PAUSED_ANNOTATION]: '' } };
    await world.kube.others.mergePatch(MACHINES, 'default', 'web', { metadata });
    await world.clock.goAhead(1100);
    await expect(terminate(target, id)).rejects.toThrow('it is paused');
    expect(stateOf(id)).toBe('running');
  });

  it('is told with the state that the instance has a moment later', async () => {
    world.cloud.behave({ terminateMs: 300 });
    const { target, id } = await launched('web');
    const request = { ...target, id, lookAfterMs: 500 };
    expect(await world.run((on) => on.terminateInstance(request))).toEqual({ outcome: 'asked', state: 'terminated' });
  });

  it('is asked on, and not waited for, after two seconds without an answer, where a workflow task waits for it', async () => {
    const { target, id } = await launched('web');
    world.cloud.fail({ action: 'terminate', answer: 'hang' });
    const failure = expect.objectContaining({ cloudCode: CLOUD_NOT_ANSWERING });
    expect(await terminate(target, id)).toEqual({ outcome: 'failed', failure });
  });

  it('does not happen where the look that has to prove it was made in another account', async () => {
    const { target, id } = await launched('web');
    world.addMachine({ name: 'web', instanceId: id, providerStatus: { account: HOME } });
    leadTo('other');
    const failure = expect.objectContaining({ cloudCode: 'AccountChanged' });
    expect(await terminate(target, id)).toEqual({ outcome: 'failed', failure });
  });
});

describe('where an instance is looked for', () => {
  const then = { namespace: 'default', secretName: 'then', region: 'sim-1' };
  beforeEach(() => world.kube.put(aCredentialsSecret('then')));

  it('is where its launch was frozen for, whatever the spec says since', async () => {
    const { target, id } = await launched('web');
    const parameters = { provider: 'simulated', credentials: then, request: {} };
    const seen = await world.run((on) => on.lookAtInstance({ ...target, id, parameters }));
    expect(seen).toMatchObject({ outcome: 'found' });
    expect(seen).not.toHaveProperty('cloud');
    expect(bearers()).toEqual(['then']);
  });

  it('is where it was adopted, and told when it is not on record yet', async () => {
    allowAdoption();
    const id = await launch(left());
    const target = naming(id);
    const cloud = { provider: 'simulated', credentials: { namespace: 'default', region: 'sim-1' } };
    expect(await look(target, id)).toMatchObject({ cloud });
    const providerStatus = { cloud: { ...cloud, credentials: then } };
    await world.clock.goAhead(PASS_MS);
    const known = await look(naming(id, { instanceId: id, providerStatus }), id);
    expect(known).toMatchObject({ outcome: 'found' });
    expect(known).not.toHaveProperty('cloud');
    expect(bearers().at(-1)).toBe('then');
  });

  it('is nowhere for a Machine of another cluster, one that is gone, or one that is malformed', async () => {
    const { target, id } = await launched('web');
    const elsewhere = { ...target, clusterUid: 'another' };
    await expect(look(elsewhere, id)).rejects.toThrow('this worker serves the cluster');
    const gone = { ...target, ref: { ...target.ref, uid: 'uid-before' } };
    await expect(look(gone, id)).rejects.toThrow('is gone');
    world.kube.put(spoiled(aMachine({ name: 'bad' }), { status: { phase: 7 } }));
    const bad = { ...target, ref: refOf(aMachine({ name: 'bad' })) };
    await expect(terminate(bad, id)).rejects.toThrow('phase');
    expect(stateOf(id)).toBe('running');
  });
});
