import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { INSTANT, startTestCloud } from './json-front/cloud-test-client.ts';
import type { TestCloud } from './json-front/cloud-test-client.ts';

let cloud: TestCloud;

beforeEach(async () => {
  cloud = await startTestCloud();
});
afterEach(() => cloud.close());

const launchCode = async (token: string, instanceType = 'sim.small') => {
  const { status, body } = await cloud.client.launch({ clientToken: token, instanceType });
  return body.error?.code ?? status;
};

describe('behaviours', () => {
  it('of a type fall back to those of *, field by field', async () => {
    await cloud.client.behave('*', { ...INSTANT, capacity: 0, joins: false });
    await cloud.client.behave('sim.big', { capacity: null });
    expect(await launchCode('t-1')).toBe('InsufficientInstanceCapacity');
    const { body } = await cloud.client.launch({ instanceType: 'sim.big' });
    expect(body.instance).toMatchObject({ joins: false });
    const answer = await cloud.client.send('GET', '/behaviours/sim.big');
    expect(await answer.json()).toMatchObject({
      set: { capacity: null },
      effective: { capacity: null, joins: false, terminatedVisibleMs: 3_600_000 },
    });
  });

  it.each([
    ['an unknown field', { speed: 1 }],
    ['a wrong type', { capacity: 'many' }],
    ['an unknown action', { failures: [{ action: 'explode' }] }],
    [
      'a lie: a refusal after the effect',
      { failures: [{ action: 'launch', when: 'after', code: 'InsufficientInstanceCapacity' }] },
    ],
  ])('with %s are refused', async (_, behaviour) => {
    const answer = await cloud.client.send('PUT', '/behaviours/*', behaviour);
    expect(answer.status).toBe(400);
  });

  it('limit capacity and quota per type, not counting what terminated', async () => {
    await cloud.client.behave('sim.small', { capacity: 1 });
    await cloud.client.behave('sim.big', { quota: 0 });
    const id = await cloud.client.launchId({ clientToken: 't-1' });
    expect(await launchCode('t-2')).toBe('InsufficientInstanceCapacity');
    expect(await launchCode('t-1')).toBe(200);
    expect(await launchCode('t-3', 'sim.big')).toBe('InstanceLimitExceeded');
    await cloud.client.operate(id, 'terminate');
    expect(await launchCode('t-2')).toBe(200);
  });

  it('throttle the next N calls', async () => {
    await cloud.client.behave('*', { ...INSTANT, throttling: { next: 2, actions: ['launch'], retryAfterMs: 1_500 } });
    const response = await cloud.client.send('POST', '/instances', {
      clientToken: 't',
      zone: 'zone-a',
      instanceType: 'sim.small',
      image: 'image-1',
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await cloud.client.describe()).status).toBe(200);
    expect(await launchCode('t-1')).toBe('RequestLimitExceeded');
    expect(await launchCode('t-1')).toBe(200);
  });

  it('throttle by calls per second', async () => {
    await cloud.client.behave('*', { ...INSTANT, throttling: { perSecond: 2 } });
    const codes = [];
    for (const token of ['t-1', 't-2', 't-3']) codes.push(await launchCode(token));
    expect(codes).toEqual([200, 200, 'RequestLimitExceeded']);
    cloud.pass(1_000);
    expect(await launchCode('t-3')).toBe(200);
  });

  it('throttle one call in so many', async () => {
    await cloud.client.behave('*', { ...INSTANT, throttling: { oneIn: 3 } });
    const codes = [];
    for (let n = 1; n <= 6; n += 1) codes.push(await launchCode(`t-${n}`));
    const refused = 'RequestLimitExceeded';
    expect(codes).toEqual([200, 200, refused, 200, 200, refused]);
  });

  it('fail a call before its effect', async () => {
    await cloud.client.behave('*', {
      ...INSTANT,
      failures: [{ action: 'launch', code: 'Weird', status: 418, times: 1 }],
    });
    expect(await cloud.client.launch()).toMatchObject({ status: 418, body: { error: { code: 'Weird' } } });
    expect(await cloud.client.ids()).toEqual([]);
    expect((await cloud.client.launch()).status).toBe(200);
  });

  it('fail a call after its effect, with an error or a cut connection', async () => {
    await cloud.client.behave('*', {
      ...INSTANT,
      failures: [
        { action: 'launch', when: 'after', code: 'InternalError', times: 1 },
        { action: 'terminate', when: 'after', answer: 'reset', times: 1 },
      ],
    });
    expect((await cloud.client.launch()).status).toBe(500);
    const [id = ''] = await cloud.client.ids();
    await expect(cloud.client.operate(id, 'terminate')).rejects.toThrow('fetch failed');
    expect(await cloud.client.state(id)).toBe('terminated');
    expect((await cloud.client.ledger()).calls).toContainEqual(
      expect.objectContaining({ action: 'terminate', instance: id, ok: false, code: 'ConnectionReset' }),
    );
  });

  it('hide a new instance from describes, but not from a call with its token', async () => {
    await cloud.client.behave('*', { ...INSTANT, visibleAfterMs: 5_000 });
    const id = await cloud.client.launchId();
    expect(await cloud.client.ids()).toEqual([]);
    expect(await cloud.client.ids({ filters: { machineUid: 'uid-1', clientToken: 'token-1' } })).toEqual([]);
    expect((await cloud.client.operate(id, 'terminate')).body.error?.code).toBe('InvalidInstanceID.NotFound');
    expect(await cloud.client.launchId()).toBe(id);
    cloud.pass(5_000);
    expect(await cloud.client.ids()).toEqual([id]);
  });

  it('have reads answered by replicas, of which each is behind by as much as it is', async () => {
    await cloud.client.behave('*', { ...INSTANT, replicaLagsMs: [0, 60_000] });
    const id = await cloud.client.launchId();
    const looks = async (): Promise<string[]> => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => cloud.client.ids()));
      return [...new Set(answers.map((ids) => ids.join()))].toSorted();
    };
    expect(await looks()).toEqual(['', id]);
    cloud.pass(60_000);
    expect(await looks()).toEqual([id]);
    await cloud.client.operate(id, 'terminate');
    const states = await Promise.all(Array.from({ length: 40 }, () => cloud.client.state(id)));
    expect(new Set(states)).toEqual(new Set(['running', 'terminated']));
    await cloud.client.behave('*', INSTANT);
    expect(await cloud.client.state(id)).toBe('terminated');
  });

  it('say whether a node joins, which can be changed for one instance', async () => {
    await cloud.client.behave('sim.small', { joins: false, interruptible: true });
    const { body } = await cloud.client.launch();
    expect(body.instance).toMatchObject({ joins: false, interruptible: true });
    const changed = await cloud.client.operate(body.instance?.id ?? '', 'joins', { joins: true });
    expect(changed.body.instance?.joins).toBe(true);
  });
});

describe('an outage', () => {
  const outage = (body: unknown) => cloud.client.send('PUT', '/outage', body);

  it('answers every call with 503, and is over when its time is', async () => {
    await outage({ mode: 'unavailable', forMs: 30_000 });
    expect((await cloud.client.launch()).status).toBe(503);
    expect((await cloud.client.describe()).body.error?.code).toBe('ServiceUnavailable');
    expect((await cloud.client.send('GET', '/healthz')).status).toBe(200);
    cloud.pass(30_000);
    expect((await cloud.client.launch()).status).toBe(200);
  });

  it('cuts connections, and is over when it is ended', async () => {
    await outage({ mode: 'reset' });
    await expect(cloud.client.launch()).rejects.toThrow('fetch failed');
    await outage({ mode: 'none' });
    expect((await cloud.client.launch()).status).toBe(200);
  });

  it('does not stop what the hypervisors tell, which knows no delay and is in no ledger', async () => {
    await cloud.client.behave('*', { ...INSTANT, visibleAfterMs: 5_000 });
    const [running, gone] = [await cloud.client.launchId(), await cloud.client.launchId({ clientToken: 't-2' })];
    await cloud.client.operate(gone, 'vanish');
    await outage({ mode: 'unavailable' });
    const before = await cloud.client.ledger();
    const response = await cloud.client.send('GET', '/instances');
    expect(await response.json()).toMatchObject({ instances: [{ id: running, joins: true }] });
    expect(await cloud.client.ledger()).toEqual(before);
  });

  it('stays silent', async () => {
    await outage({ mode: 'hang' });
    const silent = fetch(new URL('/catalog', cloud.endpoint), { signal: AbortSignal.timeout(50) });
    await expect(silent).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

it('lets in only the credentials it is told to', async () => {
  await cloud.client.send('PUT', '/credentials', { acceptedTokens: ['good'] });
  const describeWith = (headers: Record<string, string>) => cloud.client.post('/instances/describe', {}, headers);
  expect((await describeWith({})).body.error?.code).toBe('AuthFailure');
  expect((await describeWith({ authorization: 'Bearer bad' })).status).toBe(401);
  expect((await describeWith({ authorization: 'Bearer good' })).status).toBe(200);
});
