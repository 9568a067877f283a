import { describe, expect, test } from '@jest/globals';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { tokenOf } from '../k8s/launch-token.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { Instance, LoadBalancer } from '../providers/provider.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { aMachine, type MachineFacts } from '../test/world/builders/a-machine.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { refused, type CloudPassage } from '../test/world/world-cloud.ts';
import { World } from '../test/world/world.ts';
import type { BalanceInstance } from '../workflows/machine/load-balancer-activities.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';

const FROZEN: LoadBalancer = { name: 'frozen', type: 'pool' };
const OF_SPEC: LoadBalancer = { name: 'of-spec', type: 'simulated' };
const CREDENTIALS = { namespace: 'default', region: 'where-it-was-launched' };
const LAUNCHED = { parameters: { credentials: CREDENTIALS, loadBalancers: [FROZEN] } };
const VALUE = { region: 'moved', loadBalancers: ['of-spec'] };
const ADDRESSES = [{ type: 'InternalIP', address: '10.0.0.1' }] as const;
/** As somebody wrote them into the status. */
const EDITED = [{ type: 'InternalIP', address: '10.9.9.9' }] as const;
const HOWS = ['attachLoadBalancers', 'detachLoadBalancers'] as const;

/** A Machine whose workflow saw it launched with a load balancer, and whose spec names another one, in another region, by now. */
async function balanced(facts: MachineFacts = {}) {
  const world = new World(ownClock());
  const { cloud } = world;
  const status = { addresses: [...EDITED] };
  const { target, id } = await world.addLaunched({ launch: LAUNCHED, value: VALUE, status, ...facts });
  const run = (
    how: (typeof HOWS)[number] = 'attachLoadBalancers',
    of = target,
    told: Instance['addresses'] | undefined = ADDRESSES,
  ) => world.run((own) => own[how]({ ...of, id, isKnownOwn: true, told }));
  /** What the cloud says of it. */
  const ownAddresses = () => cloud.instance(id)?.addresses;
  /** What the load balancers were asked of the instance. */
  const asked = () => cloud.balancers.calls.map(({ id: of, ...call }) => (of === id ? call : of));
  return { world, cloud, target, id, run, asked, ownAddresses };
}

/** A Machine whose instance came with it. */
async function adopted(facts: MachineFacts) {
  const it = await balanced();
  const { world, id } = it;
  const target = world.addMachine({ instanceId: id, status: { addresses: [...EDITED] }, ...facts });
  const run = (how: (typeof HOWS)[number] = 'attachLoadBalancers') => world.run((own) => own[how]({ ...target, id }));
  return { ...it, run };
}

describe('an instance', () => {
  test('goes by what was frozen at its launch, whatever its spec says by now', async () => {
    const { cloud, run, asked } = await balanced();
    const frozen = { addresses: ADDRESSES, loadBalancers: [FROZEN], credentials: CREDENTIALS };
    expect(await run()).toEqual({ outcome: 'done', loadBalancers: ['frozen'] });
    expect(await run('detachLoadBalancers')).toEqual({ outcome: 'done', loadBalancers: ['frozen'] });
    expect(asked()).toEqual([
      { action: 'register', ...frozen },
      { action: 'deregister', ...frozen },
    ]);
    expect(cloud.balancers.behind).toEqual({});
    expect(cloud.asked('describe')).toEqual([]);
  });

  test.each<(typeof HOWS)[number]>(HOWS)(
    'goes by the addresses that the cloud tells, whatever its status says: %s',
    async (how) => {
      const { cloud, target, run, asked, ownAddresses } = await balanced();
      expect(await run(how, target, [])).toEqual({ outcome: 'done', loadBalancers: ['frozen'] });
      expect(asked()).toMatchObject([{ addresses: ownAddresses() }]);
      expect(cloud.asked('describe')).toHaveLength(1);
    },
  );

  test('that the cloud does not know any more is let go by what it told before', async () => {
    const { world, target, id, asked } = await balanced();
    world.cloud.vanish(id);
    await world.run((own) => own.detachLoadBalancers({ ...target, id, told: ADDRESSES }));
    expect(asked()).toMatchObject([{ addresses: ADDRESSES }]);
  });

  test('of which nobody knows what it was told is let go by its status, but for the addresses of other Machines', async () => {
    const { world, target, id, asked } = await balanced();
    world.cloud.vanish(id);
    await world.run((own) => own.detachLoadBalancers({ ...target, id }));
    await world.run((own) => own.attachLoadBalancers({ ...target, id, isKnownOwn: true }));
    world.addMachine({ name: 'other', instanceId: 'i-other', status: { addresses: [...EDITED] } });
    await world.run((own) => own.detachLoadBalancers({ ...target, id }));
    expect(asked()).toMatchObject([{ addresses: EDITED }, { addresses: [] }, { addresses: [] }]);
  });

  test('of which not even its status tells an address is let go without a look at other Machines', async () => {
    const { world, target, id, asked } = await balanced({ status: { addresses: [] } });
    world.cloud.vanish(id);
    await world.run((own) => own.detachLoadBalancers({ ...target, id }));
    expect(asked()).toMatchObject([{ action: 'deregister', addresses: [] }]);
    expect(world.requests.filter(({ verb }) => verb === 'list')).toEqual([]);
  });

  test('that came without a launch of ours goes by its spec', async () => {
    const { run, asked, ownAddresses } = await adopted({ value: VALUE });
    expect(await run()).toEqual({ outcome: 'done', loadBalancers: ['of-spec'] });
    const credentials = { namespace: 'default', region: 'moved' };
    expect(asked()).toEqual([{ action: 'register', addresses: ownAddresses(), loadBalancers: [OF_SPEC], credentials }]);
  });

  test('that came with the Machine is let go where the cloud shows it as that of the Machine before it, under this name', async () => {
    const { world, id, asked } = await balanced();
    world.kube.put(aCluster({ name: 'c1' }));
    world.kube.drop(MACHINES, 'default', aMachine().metadata.name);
    const restored = world.addMachine({ instanceId: id, value: VALUE, metadata: { uid: 'restored' } });
    await world.run((own) => own.detachLoadBalancers({ ...restored, id }));
    expect(asked()).toMatchObject([{ action: 'deregister', loadBalancers: [OF_SPEC] }]);
  });

  /** On the record of the Machine m stands an instance with these tags. */
  async function onRecord(tags: Readonly<Record<string, string>>, facts: MachineFacts = {}, token?: string) {
    const it = await balanced();
    it.cloud.vanish(it.id);
    it.world.kube.put(aCluster({ name: 'c1' }));
    const { id } = await it.cloud.launch(tags, token);
    const status = { addresses: [...EDITED] };
    const target = it.world.addMachine({ instanceId: id, value: VALUE, status, ...facts });
    const detach = (known: Pick<BalanceInstance, 'isKnownOwn' | 'told'> = {}) =>
      it.world.run((own) => own.detachLoadBalancers({ ...target, id, ...known }));
    return { ...it, detach, calls: () => it.cloud.balancers.calls.map((call) => call.id === id && call.action) };
  }

  test.each<[string, Readonly<Record<string, string>>]>([
    ['is another Machine’s', { cluster: 'c1', name: 'other', namespace: 'default', machineUid: 'uid-of-other' }],
    ['has nothing but the name of the Machine', { cluster: 'c1', name: 'm' }],
  ])('that is on record, was never proved, and %s stays where it is', async (_what, tags) => {
    const { detach, calls } = await onRecord(tags);
    expect(await detach()).toEqual({ outcome: 'done', loadBalancers: [] });
    // Also where somebody was told its addresses.
    expect(await detach({ told: ADDRESSES })).toEqual({ outcome: 'done', loadBalancers: [] });
    expect(calls()).toEqual([]);
  });

  test('that carries the Machine’s token is let go, although it has the uid of one that is gone', async () => {
    const { detach, calls } = await onRecord({ cluster: 'c1', machineUid: 'gone' }, {}, tokenOf('uid-of-m', 2));
    expect(await detach()).toEqual({ outcome: 'done', loadBalancers: ['of-spec'] });
    expect(calls()).toEqual(['deregister']);
  });

  const RECORDED: MachineFacts = { launch: LAUNCHED, status: { addresses: [] } };

  test('whose launch was answered with it is let go, whatever its tags say by now', async () => {
    const { detach, calls } = await onRecord({ machineUid: 'another' }, RECORDED);
    expect(await detach({ isKnownOwn: true })).toEqual({ outcome: 'done', loadBalancers: ['frozen'] });
    expect(calls()).toEqual(['deregister']);
  });

  test('that stands beside a launch on record is let go with nothing but a token of the Machine', async () => {
    const { detach, calls } = await onRecord({}, RECORDED, tokenOf('uid-of-m', 2));
    expect(await detach()).toEqual({ outcome: 'done', loadBalancers: ['frozen'] });
    expect(calls()).toEqual(['deregister']);
  });

  test.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['carries nothing that tells whose it is', {}, undefined],
    ['carries the tag of the cluster alone', { cluster: 'c1' }, undefined],
    ['has the uid of another', { machineUid: 'another' }, undefined],
    ['was launched with a token of another', {}, tokenOf('uid-of-another', 1)],
  ])('that an edited status names beside a launch on record stays where it is if it %s', async (_what, tags, token) => {
    const { detach, calls } = await onRecord(tags, RECORDED, token);
    expect(await detach()).toEqual({ outcome: 'done', loadBalancers: [] });
    expect(calls()).toEqual([]);
  });

  test.each<[string, MachineFacts]>([
    ['that was launched without load balancers', { launch: {} }],
    ['that was launched with an empty list', { launch: { parameters: { loadBalancers: [] } } }],
  ])('%s gets none, although its spec names some by now', async (_what, facts) => {
    const { cloud, run, asked } = await balanced(facts);
    expect(await run()).toEqual({ outcome: 'done', loadBalancers: [] });
    expect([asked(), cloud.requests]).toEqual([[], []]);
  });

  test('of a cloud without load balancers is done with', async () => {
    const { world, run } = await balanced();
    const { loadBalancing: _without, ...provider } = world.cloud.provider;
    world.replaceWorker(provider);
    for (const how of HOWS) expect(await run(how)).toEqual({ outcome: 'done', loadBalancers: [] });
  });
});

describe('nothing is asked of the load balancers', () => {
  test('of a Machine of another cluster', async () => {
    const { target, run, asked } = await balanced();
    const foreign = run('attachLoadBalancers', { ...target, clusterUid: 'another' });
    await expect(foreign).rejects.toMatchObject({ type: 'ForeignCluster' });
    expect(asked()).toEqual([]);
  });

  test.each<[string, (it: Awaited<ReturnType<typeof balanced>>) => void]>([
    ['paused meanwhile', ({ world, id }) => void world.addMachine({ instanceId: id, launch: LAUNCHED, paused: true })],
    ['gone', ({ world }) => void world.addMachine({ metadata: { uid: 'another' } })],
    [
      'malformed',
      ({ world }) => world.kube.put(spoiled(aMachine({ launch: LAUNCHED }), { spec: { providerSpec: 7 } })),
    ],
  ])('of a Machine that is %s', async (_what, change) => {
    const it = await balanced();
    change(it);
    for (const how of HOWS) await expect(it.run(how)).rejects.toMatchObject({ type: OBJECT_CHANGED });
    expect(it.asked()).toEqual([]);
  });
});

describe('credentials that lead to another account than the one on record', () => {
  test.each<(typeof HOWS)[number]>(HOWS)(
    'change nothing: load balancers of these names are not there, or are somebody else’s: %s',
    async (how) => {
      const { world, cloud, run, asked } = await balanced({ providerStatus: { account: 'home-account' } });
      const leadTo = (account: string) =>
        world.replaceWorker({ ...cloud.provider, accountOf: () => Promise.resolve(account) });
      leadTo('other');
      expect(await run(how)).toMatchObject({
        outcome: 'failed',
        failure: { cloudCode: 'AccountChanged', message: expect.stringContaining('lead to account other') },
      });
      expect(asked()).toEqual([]);
      leadTo('home-account');
      expect(await run(how)).toEqual({ outcome: 'done', loadBalancers: ['frozen'] });
    },
  );
});

describe('a failure', () => {
  test('of the cloud is told', async () => {
    const { cloud, run } = await balanced();
    cloud.onRequest = refused('register', new ProviderError('Throttled', 'slow', { retryAfterMs: 1000 }));
    expect(await run()).toMatchObject({
      outcome: 'failed',
      failure: { code: 'Throttled', message: 'slow', retryAfterMs: 1000 },
    });
  });

  test('to find the cloud is told', async () => {
    const { run } = await adopted({ value: { kind: 'Unknown' } });
    expect(await run()).toMatchObject({ outcome: 'failed' });
  });

  test('that is a defect fails the activity', async () => {
    const { cloud, run } = await balanced();
    const defect: CloudPassage = () => Promise.reject(new TypeError('a defect'));
    cloud.onRequest = defect;
    await expect(run()).rejects.toThrow('a defect');
  });
});
