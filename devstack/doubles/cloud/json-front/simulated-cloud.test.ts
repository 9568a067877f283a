import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestCloud } from './cloud-test-client.ts';
import type { TestCloud } from './cloud-test-client.ts';

let cloud: TestCloud;

beforeEach(async () => {
  cloud = await startTestCloud();
});
afterEach(() => cloud.close());

describe('an instance', () => {
  it('goes from pending to running to shutting-down to terminated, each in its time', async () => {
    await cloud.client.behave('*', { launchLatencyMs: 0, pendingMs: 10_000, terminateMs: 5_000 });
    const id = await cloud.client.launchId();
    expect(await cloud.client.state(id)).toBe('pending');
    cloud.pass(10_000);
    expect(await cloud.client.state(id)).toBe('running');
    await cloud.client.operate(id, 'terminate');
    expect(await cloud.client.state(id)).toBe('shutting-down');
    cloud.pass(5_000);
    expect(await cloud.client.state(id)).toBe('terminated');
  });

  it('tells what a Node and a Machine need to know', async () => {
    const { body } = await cloud.client.launch();
    expect(body.instance).toMatchObject({
      providerID: `simulated:///zone-a/${body.instance?.id}`,
      region: 'sim-1',
      zone: 'zone-a',
      instanceType: 'sim.small',
      machineUid: 'uid-1',
      token: 'token-1',
      cluster: 'c1',
      joins: true,
      addresses: [{ type: 'InternalIP' }, { type: 'InternalDNS' }, { type: 'Hostname' }],
    });
    expect(body.instance).not.toHaveProperty('interruptible');
  });

  it('has addresses that no other has', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => cloud.client.launch({ clientToken: `t-${n}` })),
    );
    expect(new Set(answers.map(({ body }) => body.instance?.addresses[0]?.address)).size).toBe(20);
  });

  it('can be terminated again and again', async () => {
    const id = await cloud.client.launchId();
    expect((await cloud.client.operate(id, 'terminate')).status).toBe(200);
    expect((await cloud.client.operate(id, 'terminate')).body.instance?.state).toBe('terminated');
  });

  it('stays visible for an hour after it terminated, and in the ledger for good', async () => {
    const id = await cloud.client.launchId();
    await cloud.client.operate(id, 'terminate');
    cloud.pass(3_599_000);
    expect(await cloud.client.ids()).toEqual([id]);
    cloud.pass(2_000);
    expect(await cloud.client.ids()).toEqual([]);
    expect((await cloud.client.operate(id, 'terminate')).body.error?.code).toBe('InvalidInstanceID.NotFound');
    const { instances } = await cloud.client.ledger();
    expect(instances).toMatchObject([{ id, machine: 'uid-1', state: 'terminated', endedAt: expect.any(String) }]);
  });

  it('is taken back only where it may be, and says so', async () => {
    const own = await cloud.client.launchId();
    expect((await cloud.client.operate(own, 'take-back')).body.error?.code).toBe('IncorrectInstanceState');
    await cloud.client.behave('sim.small', { interruptible: true });
    const lent = await cloud.client.launchId({ clientToken: 'token-2' });
    const { body } = await cloud.client.operate(lent, 'take-back');
    expect(body.instance).toMatchObject({ state: 'terminated', takenBack: true });
  });

  it('can be stopped and started by hand', async () => {
    const id = await cloud.client.launchId();
    await cloud.client.operate(id, 'stop');
    expect(await cloud.client.state(id)).toBe('stopped');
    expect((await cloud.client.operate(id, 'stop')).body.error?.code).toBe('IncorrectInstanceState');
    await cloud.client.operate(id, 'start');
    expect(await cloud.client.state(id)).toBe('running');
  });

  it('that vanishes is in no describe, frees its capacity, and comes back when told to', async () => {
    await cloud.client.behave('sim.small', { capacity: 1 });
    const id = await cloud.client.launchId();
    await cloud.client.operate(id, 'vanish');
    expect(await cloud.client.ids()).toEqual([]);
    expect((await cloud.client.describe({ ids: [id] })).body.error?.code).toBe('InvalidInstanceID.NotFound');
    expect((await cloud.client.ledger()).instances).toMatchObject([{ state: 'vanished', endedAt: expect.any(String) }]);
    expect((await cloud.client.launch({ clientToken: 't-2' })).status).toBe(200);
    await cloud.client.operate(id, 'reappear');
    expect(await cloud.client.state(id)).toBe('running');
  });

  it('that is only not shown is not said to have ended: its token answers with it', async () => {
    const launch = { clientToken: 't-1' };
    const id = await cloud.client.launchId(launch);
    await cloud.client.operate(id, 'vanish');
    expect(await cloud.client.launchId(launch)).toBe(id);
    await cloud.client.operate(id, 'reappear');
    expect(await cloud.client.ids()).toEqual([id]);
  });
});

describe('a describe', () => {
  it('without filters shows everything, and by filters what all of them fit', async () => {
    const tags = (machineUid: string, cluster: string) => ({ machineUid, cluster });
    const a = await cloud.client.launchId({ clientToken: 't-a', tags: tags('u-1', 'c-1') });
    const b = await cloud.client.launchId({ clientToken: 't-b', tags: tags('u-2', 'c-1') });
    const c = await cloud.client.launchId({ clientToken: 't-c', tags: tags('u-3', 'c-2') });
    expect(await cloud.client.ids()).toEqual([a, b, c]);
    expect(await cloud.client.ids({ filters: { cluster: 'c-1' } })).toEqual([a, b]);
    expect(await cloud.client.ids({ filters: { machineUid: 'u-2' } })).toEqual([b]);
    expect(await cloud.client.ids({ filters: { clientToken: 't-c' } })).toEqual([c]);
    expect(await cloud.client.ids({ filters: { clientToken: 't-c', cluster: 'c-1' } })).toEqual([]);
    expect(await cloud.client.ids({ filters: { instanceIds: [c, 'i-unknown', a] } })).toEqual([c, a]);
  });

  it('by ids fails as a whole where it does not know one of them', async () => {
    const id = await cloud.client.launchId();
    expect(await cloud.client.ids({ ids: [id] })).toEqual([id]);
    const { status, body } = await cloud.client.describe({ ids: [id, 'i-unknown'] });
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'InvalidInstanceID.NotFound' });
    expect(body.error?.message).toContain('i-unknown');
    expect(body.error?.message).not.toContain(id);
  });
});

describe('a launch', () => {
  it.each<[object, string, string]>([
    [{ instanceType: 'm5.large' }, 'InvalidInstanceType', 'instanceType'],
    [{ instanceType: 'simXsmall' }, 'InvalidInstanceType', 'instanceType'],
    [{ image: 'ami-1' }, 'InvalidImageID.NotFound', 'image'],
    [{ zone: 'zone-d' }, 'InvalidZone.NotFound', 'zone'],
    [{ region: 'sim-2' }, 'InvalidRegion', 'region'],
    [{ clientToken: 'x'.repeat(65) }, 'InvalidParameterValue', 'clientToken'],
    [{ clientToken: 'ü' }, 'InvalidParameterValue', 'clientToken'],
    [{ userData: 'no base64!' }, 'InvalidParameterValue', 'userData'],
    [{ colour: 'red' }, 'InvalidParameterValue', 'colour'],
  ])('with %j is refused as %s, naming %s', async (change, code, field) => {
    const { status, body } = await cloud.client.launch(change);
    expect({ status, code: body.error?.code, field: body.error?.field }).toEqual({ status: 400, code, field });
    expect((await cloud.client.ledger()).instances).toEqual([]);
  });

  it('whose client gave up waiting still makes its instance', async () => {
    await cloud.client.behave('*', { launchLatencyMs: 100 });
    const endpoint = new URL('/instances', cloud.endpoint);
    const body = JSON.stringify({ clientToken: 't', zone: 'zone-a', instanceType: 'sim.a', image: 'image-1' });
    await expect(fetch(endpoint, { method: 'POST', body, signal: AbortSignal.timeout(30) })).rejects.toThrow();
    expect(await cloud.client.ids()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await cloud.client.ids()).toHaveLength(1);
  });
});

describe('the ledger', () => {
  it('tells every call with its Machine, token, instance and how it ended', async () => {
    await cloud.client.behave('sim.small', { failures: [{ action: 'launch', when: 'after', times: 1 }] });
    await cloud.client.launch();
    const id = await cloud.client.launchId();
    await cloud.client.describe({ filters: { machineUid: 'uid-1' } });
    await cloud.client.operate(id, 'terminate');
    const { calls } = await cloud.client.ledger();
    const launch = { action: 'launch', machine: 'uid-1', token: 'token-1', instance: id };
    expect(calls).toEqual([
      { at: expect.any(String), ...launch, ok: false, code: 'InternalError' },
      { at: expect.any(String), ...launch, ok: true, code: null },
      expect.objectContaining({ action: 'describe', machine: 'uid-1', token: null, instance: null, ok: true }),
      expect.objectContaining({ ...launch, action: 'terminate', ok: true }),
    ]);
  });

  it('can be narrowed to one Machine', async () => {
    await cloud.client.launch();
    await cloud.client.launch({ clientToken: 't-2', tags: { machineUid: 'uid-2' } });
    const response = await cloud.client.send('GET', '/ledger?machine=uid-2');
    expect(await response.json()).toMatchObject({ instances: [{ token: 't-2' }], calls: [{ token: 't-2' }] });
  });
});

it('refuses what it does not know and what is no JSON', async () => {
  expect(await cloud.client.post('/instances/i-1/explode')).toMatchObject({
    status: 404,
    body: { error: { code: 'NoSuchOperation' } },
  });
  const response = await fetch(new URL('/instances', cloud.endpoint), { method: 'POST', body: '{' });
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'MalformedRequest' } }]);
});
