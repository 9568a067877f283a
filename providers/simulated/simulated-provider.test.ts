import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { INSTANT, startTestCloud } from '../../devstack/doubles/cloud/json-front/cloud-test-client.ts';
import type { TestCloud } from '../../devstack/doubles/cloud/json-front/cloud-test-client.ts';
import { systemClock } from '../clock.ts';
import { ProviderError } from '../provider-error.ts';
import type { InstanceOwner, LaunchParameters } from '../provider.ts';
import { createSimulatedProvider } from './simulated-provider.ts';
import type { SimulatedProvider, SimulatedProviderOptions } from './simulated-provider.ts';

const owner: InstanceOwner = {
  clusterName: 'c1',
  namespace: 'default',
  name: 'web-1',
  uid: 'uid-1',
  clusterUid: 'cluster-1',
};
const providerSpec = {
  apiVersion: 'machine.millwright.dev/v1alpha1',
  kind: 'SimulatedMachineProviderConfig',
  instanceType: 'sim.small',
};

let cloud: TestCloud;
let provider: SimulatedProvider;
const opened: SimulatedProvider[] = [];

const open = (options: Partial<SimulatedProviderOptions> = {}) => {
  const created = createSimulatedProvider({ clock: systemClock, endpoint: cloud.endpoint, ...options });
  opened.push(created);
  return created;
};

beforeEach(async () => {
  cloud = await startTestCloud();
  provider = open();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await cloud.close();
});

const resolve = (spec: object = {}) => provider.resolve({ owner, providerSpec: { ...providerSpec, ...spec } });

const launch = async (token = 'token-1', parameters?: LaunchParameters) =>
  provider.launch({ owner, token, parameters: parameters ?? (await resolve()) });

const errorOf = async (attempt: Promise<unknown>): Promise<ProviderError> => {
  const error: unknown = await attempt.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ProviderError) return error;
  throw error;
};

describe('resolve', () => {
  it('freezes everything a launch sends, whose tags included', async () => {
    const spec = { zone: 'zone-b', userDataSecret: { name: 'boot' }, tags: [{ name: 'team', value: 'blue' }] };
    expect(await resolve(spec)).toEqual({
      provider: 'simulated',
      credentials: { namespace: 'default', region: 'sim-1' },
      zone: 'zone-b',
      instanceType: 'sim.small',
      userDataSecret: 'boot',
      request: {
        region: 'sim-1',
        image: 'image-default',
        tags: {
          team: 'blue',
          cluster: 'c1',
          namespace: 'default',
          name: 'web-1',
          machineUid: 'uid-1',
          clusterUid: 'cluster-1',
        },
      },
    });
  });

  it('says the same of the credentials as credentialsOf, which asks nobody', async () => {
    const spec = { ...providerSpec, credentialsSecret: { name: 'login' } };
    const lazy = open({ endpoint: 'http://127.0.0.1:1' });
    expect(lazy.credentialsOf({ owner, providerSpec: spec })).toEqual({
      namespace: 'default',
      secretName: 'login',
      region: 'sim-1',
    });
    expect((await resolve()).credentials).toEqual(provider.credentialsOf({ owner, providerSpec }));
  });

  it.each([
    ['instanceType', 'm5.large', 'sim.*'],
    ['image', 'ami-1', 'image-*'],
    ['zone', 'zone-x', 'zone-a, zone-b, zone-c'],
    ['region', 'eu-1', 'sim-1'],
  ])('refuses a %s the cloud does not have', async (name, value, offered) => {
    const error = await errorOf(resolve({ [name]: value }));
    expect(error).toMatchObject({ code: 'InvalidArgument', details: { field: `providerSpec.value.${name}` } });
    expect(error.message).toBe(`providerSpec.value.${name}: "${value}" does not exist; there is: ${offered}`);
  });

  it('reads the catalog once for many machines', async () => {
    await Promise.all(Array.from({ length: 20 }, () => resolve()));
    const { calls } = await cloud.client.ledger();
    expect(calls.filter(({ action }) => action === 'catalog')).toHaveLength(1);
  });
});

describe('a dry run', () => {
  const dryRun = async (parameters?: LaunchParameters) =>
    provider.dryRun?.({ owner, token: 'token-1', parameters: parameters ?? (await resolve()) });

  it('resolves where a launch would work, and makes nothing', async () => {
    await dryRun();
    const { instances, calls } = await cloud.client.ledger();
    expect(instances).toEqual([]);
    expect(calls.map(({ action }) => action)).toEqual(['catalog', 'dryRun']);
  });

  it('fails as a launch does where that would be refused', async () => {
    const parameters = await resolve();
    const other = { ...parameters, request: { ...parameters.request, image: 'nope' } };
    expect(await errorOf(dryRun(other))).toMatchObject({
      code: 'InvalidArgument',
      details: { field: 'providerSpec.value.image' },
    });
    await cloud.client.behave('*', { ...INSTANT, failures: [{ action: 'dryRun', code: 'UnauthorizedOperation' }] });
    expect((await errorOf(dryRun())).code).toBe('PermissionDenied');
  });
});

describe('launch', () => {
  it('makes the instance and tells of it what Millwright reads, and no more', async () => {
    const instance = await launch();
    expect(instance).toEqual({
      id: expect.stringMatching(/^i-[0-9a-f]{17}$/),
      providerID: `simulated:///zone-a/${instance.id}`,
      state: 'running',
      region: 'sim-1',
      zone: 'zone-a',
      instanceType: 'sim.small',
      addresses: expect.any(Array),
      machineUid: 'uid-1',
      clusters: ['c1'],
      name: 'web-1',
      machineKey: 'default/web-1',
      clusterUid: 'cluster-1',
      token: 'token-1',
      launchedAt: expect.any(String),
    });
  });

  it('sends the same body for the same parameters, so that a repeat finds the instance', async () => {
    const parameters = await resolve();
    const first = await launch('token-1', parameters);
    const stored: LaunchParameters = JSON.parse(JSON.stringify(parameters));
    expect((await launch('token-1', stored)).id).toBe(first.id);
  });

  it('is one call, whatever comes back', async () => {
    await cloud.client.behave('*', { ...INSTANT, failures: [{ action: 'launch', code: 'InternalError' }] });
    await errorOf(launch());
    const { calls } = await cloud.client.ledger();
    expect(calls.filter(({ action }) => action === 'launch')).toHaveLength(1);
  });

  it('is not sent where it is not due any more once its token was read', async () => {
    const parameters = {
      ...(await resolve()),
      credentials: { namespace: 'default', secretName: 'cloud', region: 'sim-1' },
    };
    let isDue = true;
    provider = open({
      readSecret: async () => {
        isDue = false;
        return { token: Buffer.from('t') };
      },
    });
    const attempt = provider.launch({ owner, token: 't', parameters, isStillDue: () => isDue });
    const details = { notSent: true, cloudCode: 'CallNotDue' };
    expect(await errorOf(attempt)).toMatchObject({ code: 'Aborted', details });
    expect((await cloud.client.ledger()).calls.filter(({ action }) => action === 'launch')).toEqual([]);
  });

  it('does not send parameters that are damaged or were resolved for another Machine', async () => {
    const parameters = await resolve();
    const other = provider.launch({ owner: { ...owner, uid: 'uid-2' }, token: 't', parameters });
    expect(await errorOf(other)).toMatchObject({ code: 'FailedPrecondition', details: {} });
    expect(await errorOf(launch('t', { ...parameters, request: {} }))).toMatchObject({ code: 'FailedPrecondition' });
    expect((await cloud.client.ledger()).instances).toEqual([]);
  });

  it.each([
    ['InsufficientInstanceCapacity', 'ResourceExhausted', 'exhausted', true],
    ['InstanceLimitExceeded', 'ResourceExhausted', 'exhausted', true],
    ['InvalidParameterValue', 'InvalidArgument', 'invalid', true],
    ['InvalidInstanceType', 'InvalidArgument', 'invalid', true],
    ['InvalidImageID.NotFound', 'InvalidArgument', 'invalid', true],
    ['InvalidZone.NotFound', 'InvalidArgument', 'invalid', true],
    ['InvalidRegion', 'InvalidArgument', 'invalid', true],
    ['MalformedRequest', 'InvalidArgument', 'invalid', true],
    ['IdempotentParameterMismatch', 'FailedPrecondition', 'soon', false],
    ['RequestLimitExceeded', 'Throttled', 'throttled', false],
    ['AuthFailure', 'Unauthenticated', 'denied', false],
    ['UnauthorizedOperation', 'PermissionDenied', 'denied', false],
    ['InternalError', 'Internal', 'soon', false],
    ['ServiceUnavailable', 'Unavailable', 'soon', false],
    ['SomethingNew', 'Unknown', 'soon', false],
  ])(
    '%s means %s, to be retried as %s; proof that nothing was made: %s',
    async (cloudCode, code, retryClass, proof) => {
      await cloud.client.behave('*', { ...INSTANT, failures: [{ action: 'launch', code: cloudCode }] });
      const error = await errorOf(launch());
      expect(error).toMatchObject({ code, retryClass, details: { cloudCode } });
      expect(error.details.provesNoInstance ?? false).toBe(proof);
      expect(error.message).toContain(
        `launch an instance for machine default/web-1 (uid-1) in zone-a: the cloud answered`,
      );
    },
  );

  it('names the field of the spec that the cloud refused', async () => {
    const parameters = await resolve();
    const error = await errorOf(launch('t', { ...parameters, instanceType: 'm5.large' }));
    expect(error.details).toMatchObject({ field: 'providerSpec.value.instanceType', provesNoInstance: true });
  });

  it('tells that the instance of the token is terminated', async () => {
    const { id } = await launch();
    await cloud.client.operate(id, 'terminate');
    expect((await errorOf(launch())).details).toEqual({
      cloudCode: 'IdempotentInstanceTerminated',
      tokenTerminated: true,
    });
  });

  it('tells that the token is known with other parameters', async () => {
    await launch('t');
    const parameters = await resolve();
    const error = await errorOf(launch('t', { ...parameters, request: { ...parameters.request, image: 'another' } }));
    expect(error.details).toEqual({ cloudCode: 'IdempotentParameterMismatch', tokenMismatched: true });
  });

  it('tells when to come back after throttling', async () => {
    await cloud.client.behave('*', { ...INSTANT, throttling: { next: 9, actions: ['launch'], retryAfterMs: 3_000 } });
    expect((await errorOf(launch())).details.retryAfterMs).toBe(3_000);
  });

  it('is not held up by an answer that asks to come back in an hour', async () => {
    const throttling = { next: 9, actions: ['launch' as const], retryAfterMs: 3_600_000 };
    await cloud.client.behave('*', { ...INSTANT, throttling });
    expect((await errorOf(launch())).details.retryAfterMs).toBe(300_000);
  });

  it.each([
    ['a cut connection', 'reset'],
    ['an error', 'error'],
  ] as const)('proves nothing by %s after the instance was made', async (_, answer) => {
    await cloud.client.behave('*', { ...INSTANT, failures: [{ action: 'launch', when: 'after', answer, times: 1 }] });
    const error = await errorOf(launch());
    expect(error.details.provesNoInstance).toBeUndefined();
    expect(error.code).toBe(answer === 'reset' ? 'Unavailable' : 'Internal');
    const found = await provider.findByMachine({ namespace: 'default' }, owner, 'token-1');
    expect(found.map(({ id }) => id)).toEqual([(await launch()).id]);
  });

  it.each([0, 1, 2])('is found where the cloud throttles a third of all calls, after %i others', async (before) => {
    await cloud.client.behave('*', { ...INSTANT, throttling: { oneIn: 3, actions: ['describe'] } });
    const { id } = await launch();
    for (let n = 0; n < before; n += 1) await provider.list({ namespace: 'default' }, 'c').catch(() => {});
    // It takes four calls.
    const found = await provider.findByMachine({ namespace: 'default' }, owner, 'token-1');
    expect(found.map((instance) => instance.id)).toEqual([id]);
    const [among] = await provider.findByMachines({ namespace: 'default' }, [{ owner, token: 'token-1' }]);
    expect(among?.map((instance) => instance.id)).toEqual([id]);
  });

  it('fails with DeadlineExceeded when no answer comes in time, and the instance may come later', async () => {
    provider = open({ launchTimeoutMs: 50 });
    await cloud.client.behave('*', { ...INSTANT, launchLatencyMs: 150 });
    const error = await errorOf(launch());
    expect(error).toMatchObject({ code: 'DeadlineExceeded', details: {} });
    expect(error.message).toContain('no answer within 50 ms');
    await new Promise((done) => setTimeout(done, 200));
    expect(await provider.findByMachine({ namespace: 'default' }, owner)).toHaveLength(1);
  });

  it('fails with Canceled when the caller gives up', async () => {
    await cloud.client.behave('*', { ...INSTANT, launchLatencyMs: 150 });
    const parameters = await resolve();
    const attempt = provider.launch({ owner, token: 't', parameters }, AbortSignal.timeout(30));
    expect((await errorOf(attempt)).code).toBe('Canceled');
  });

  it('fails with Unavailable when nobody listens', async () => {
    const parameters = await resolve();
    provider = open({ endpoint: 'http://127.0.0.1:1' });
    const error = await errorOf(launch('t', parameters));
    expect(error.code).toBe('Unavailable');
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('keeps user data out of an error that quotes it', async () => {
    const userData = Buffer.from('#!/bin/sh\njoin --password swordfish-1234\n');
    const quotes = [userData.toString(), userData.toString('base64'), 'join --password swordfish-1234'];
    for (const message of quotes) {
      await cloud.client.behave('*', { ...INSTANT, failures: [{ action: 'launch', message }] });
      const parameters = await resolve();
      const error = await errorOf(provider.launch({ owner, token: 't', parameters, userData }));
      expect(error.message).toContain('[removed]');
      expect(error.message).not.toContain('swordfish');
      expect(error.message).not.toContain(userData.toString('base64'));
    }
  });
});

describe('a cloud that is asked by look-up only', () => {
  beforeEach(async () => {
    await cloud.close();
    cloud = await startTestCloud({ tokens: false });
    provider = open({ idempotency: 'lookup' });
  });

  it('is sent no token, and makes an instance of every call', async () => {
    const [first, second] = [await launch(), await launch()];
    expect(first.id).not.toBe(second.id);
    expect((await cloud.client.ledger()).instances.map(({ token }) => token)).toEqual([null, null]);
  });

  it('is given the token as a tag, in the call that makes the instance, and it is told as the token', async () => {
    const { id } = await launch('token-1');
    const [described] = await provider.describe({ namespace: 'default' }, [id]);
    expect(described).toMatchObject({ token: 'token-1', machineUid: 'uid-1' });
    const { body } = await cloud.client.describe({ filters: { machineUid: 'uid-1' } });
    expect(body.instances?.[0]?.tags).toMatchObject({ launchToken: 'token-1', cluster: 'c1', name: 'web-1' });
  });

  it('finds the instances of every attempt by the tags alone', async () => {
    const ids = [(await launch('token-1')).id, (await launch('token-2')).id];
    const found = await provider.findByMachine({ namespace: 'default' }, owner, 'token-2');
    expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const [among] = await provider.findByMachines({ namespace: 'default' }, [{ owner, token: 'token-2' }]);
    expect(among?.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const { calls } = await cloud.client.ledger();
    expect(calls.filter(({ action }) => action === 'describe')).toHaveLength(3 + 2);
  });

  it('is what the provider says, which takes a cloud for one with tokens by default', () => {
    expect([provider.idempotency, open().idempotency]).toEqual(['lookup', 'token']);
  });
});

describe('describe', () => {
  it('leaves out what the cloud does not know, and asks nothing for no ids', async () => {
    const { id } = await launch();
    const found = await provider.describe({ namespace: 'default' }, ['i-00000000000000000', '*', id]);
    expect(found.map((instance) => instance.id)).toEqual([id]);
    expect(await provider.describe({ namespace: 'default' }, [])).toEqual([]);
  });

  it('takes a batch of the size it names, and no more', async () => {
    const ids = Array.from({ length: provider.describeBatchSize }, (_, n) => `i-${n.toString(16).padStart(17, '0')}`);
    expect(await provider.describe({ namespace: 'default' }, ids)).toEqual([]);
    expect((await errorOf(provider.describe({ namespace: 'default' }, [...ids, 'i-00000000000000000']))).code).toBe(
      'InvalidArgument',
    );
  });

  it('fails as the cloud does', async () => {
    await cloud.client.send('PUT', '/outage', { mode: 'unavailable' });
    expect((await errorOf(provider.describe({ namespace: 'default' }, ['i-00000000000000000']))).code).toBe(
      'Unavailable',
    );
  });
});

it('finds the instances of a Machine by uid and by token, terminated ones included, each once', async () => {
  const byUid = await launch('token-0');
  await cloud.client.operate(byUid.id, 'terminate');
  const both = await launch('token-1');
  const byToken = await cloud.client.launchId({ clientToken: 'token-1', zone: 'zone-b', tags: {} });
  const found = await provider.findByMachine({ namespace: 'default' }, owner, 'token-1');
  expect(found.map(({ id }) => id).toSorted()).toEqual([byUid.id, both.id, byToken].toSorted());
  const { calls } = await cloud.client.ledger();
  expect(calls.filter(({ action }) => action === 'describe')).toHaveLength(4);
});

it('finds what lives under the name in the cluster, or under namespace and name, whatever uid it carries', async () => {
  const left = await cloud.client.launchId({ clientToken: 'left', tags: { cluster: 'c1', name: 'web-1' } });
  const tags = { cluster: 'c2', namespace: 'default', name: 'web-1', machineUid: 'uid-before' };
  const before = await cloud.client.launchId({ clientToken: 'before', tags });
  const ended = await cloud.client.launchId({ clientToken: 'ended', tags });
  await cloud.client.operate(ended, 'terminate');
  await cloud.client.launchId({ clientToken: 'other', tags: { ...tags, namespace: 'elsewhere' } });
  const found = await provider.findByMachine({ namespace: 'default' }, owner);
  expect(found.map(({ id }) => id).toSorted()).toEqual([left, before].toSorted());
  expect(found.find(({ id }) => id === left)).toMatchObject({ name: 'web-1', clusters: ['c1'] });
  expect(found.find(({ id }) => id === before)).toMatchObject({
    machineKey: 'default/web-1',
    machineUid: 'uid-before',
  });
});

it('finds the instances of many Machines by three describes, and tells each its own', async () => {
  const launch = (clientToken: string, tags: Record<string, string>) => cloud.client.launchId({ clientToken, tags });
  const byUid = await launch('t-0', { cluster: 'c1', namespace: 'default', name: 'web-0', machineUid: 'uid-0' });
  const byToken = await launch('t-1', { cluster: 'c1' });
  const byName = await launch('t-2', { cluster: 'c1', name: 'web-2' });
  const byKey = await launch('t-3', { cluster: 'c9', namespace: 'default', name: 'web-3', machineUid: 'uid-before' });
  await launch('t-4', { cluster: 'c2', name: 'web-2' });
  const searches = [0, 1, 2, 3].map((n) => ({
    owner: { ...owner, name: `web-${n}`, uid: `uid-${n}` },
    token: `t-${n === 1 ? 1 : 'none'}`,
  }));
  const found = await provider.findByMachines({ namespace: 'default' }, searches);
  expect(found.map((instances) => instances.map(({ id }) => id))).toEqual([[byUid], [byToken], [byName], [byKey]]);
  const { calls } = await cloud.client.ledger();
  expect(calls.filter(({ action }) => action === 'describe')).toHaveLength(3);
});

it('claims an instance by its tags, as often as it is asked to, and finds it by the uid then', async () => {
  const left = await cloud.client.launchId({ clientToken: 'left', tags: { cluster: 'c1', name: 'web-1', more: 'x' } });
  for (let n = 0; n < 2; n += 1) await provider.claim({ namespace: 'default' }, left, owner);
  const { body } = await cloud.client.describe({ filters: { machineUid: 'uid-1' } });
  expect(body.instances).toMatchObject([{ id: left, tags: { cluster: 'c1', more: 'x', clusterUid: 'cluster-1' } }]);
  expect((await errorOf(provider.claim({ namespace: 'default' }, 'i-unknown', owner))).code).toBe('NotFound');
});

it('lists the instances of one cluster', async () => {
  const { id } = await launch();
  await cloud.client.launchId({ clientToken: 'other', tags: { cluster: 'c2' } });
  expect((await provider.list({ namespace: 'default' }, 'c1')).map((instance) => instance.id)).toEqual([id]);
});

describe('terminate', () => {
  it('tells the state, again and again', async () => {
    await cloud.client.behave('*', { ...INSTANT, terminateMs: 5_000 });
    const { id } = await launch();
    expect(await provider.terminate({ namespace: 'default' }, id)).toBe('shutting-down');
    cloud.pass(5_000);
    expect(await provider.terminate({ namespace: 'default' }, id)).toBe('terminated');
  });

  it('fails with NotFound for an id the cloud does not know', async () => {
    const error = await errorOf(provider.terminate({ namespace: 'default' }, 'i-unknown'));
    expect(error).toMatchObject({ code: 'NotFound', details: { cloudCode: 'InvalidInstanceID.NotFound' } });
  });
});

describe('reboot', () => {
  const reboot = (id: string, more: object = {}) =>
    provider.reboot?.({ credentials: { namespace: 'default' }, id, ...more }) ?? Promise.resolve();
  const rebootsIn = async () => {
    const { calls } = await cloud.client.ledger();
    return calls.filter(({ action }) => action === 'reboot');
  };

  it('is one call, each of which boots the instance anew', async () => {
    const { id } = await launch();
    await reboot(id);
    await reboot(id);
    expect((await rebootsIn()).map(({ instance, ok }) => [instance, ok])).toEqual([
      [id, true],
      [id, true],
    ]);
  });

  it('is refused where the instance does not run, and is not repeated', async () => {
    await cloud.client.behave('*', { ...INSTANT, terminateMs: 0 });
    const { id } = await launch();
    await cloud.client.operate(id, 'stop');
    expect(await errorOf(reboot(id))).toMatchObject({ code: 'FailedPrecondition' });
    expect(await errorOf(reboot('i-00000000000000000'))).toMatchObject({ code: 'NotFound' });
    expect(await rebootsIn()).toHaveLength(2);
  });

  it('is not sent where what was checked before it is too old', async () => {
    const { id } = await launch();
    const error = await errorOf(reboot(id, { isStillDue: () => false }));
    expect(error).toMatchObject({ code: 'Aborted', details: { notSent: true, cloudCode: 'CallNotDue' } });
    expect(await rebootsIn()).toEqual([]);
  });
});

describe('credentials', () => {
  const withLogin = { namespace: 'default', secretName: 'login', region: 'sim-1' };

  it('are read from the Secret for each call', async () => {
    await cloud.client.send('PUT', '/credentials', { acceptedTokens: ['good'] });
    const secrets: Record<string, Uint8Array> = { 'default/login': Buffer.from('good\n') };
    provider = open({
      readSecret: async (namespace, name) => {
        const token = secrets[`${namespace}/${name}`];
        return token === undefined ? undefined : { token };
      },
    });
    expect(await provider.list(withLogin, 'c1')).toEqual([]);
    secrets['default/login'] = Buffer.from('bad');
    expect((await errorOf(provider.list(withLogin, 'c1'))).code).toBe('Unauthenticated');
    delete secrets['default/login'];
    const error = await errorOf(provider.list(withLogin, 'c1'));
    expect([error.code, error.message]).toEqual([
      'Unauthenticated',
      'read credentials: there is no Secret default/login',
    ]);
  });

  it('that this process cannot read are an error that says so', async () => {
    expect((await errorOf(provider.list(withLogin, 'c1'))).code).toBe('FailedPrecondition');
    provider = open({ readSecret: () => Promise.reject(new Error('the API server is away')) });
    expect(await errorOf(provider.list(withLogin, 'c1'))).toMatchObject({
      code: 'Unavailable',
      message: 'read credentials: Secret default/login: the API server is away',
    });
  });
});

it.each([
  [200, 'text', 'Unknown'],
  [200, '{"instances":[{"id":"i-1"}]}', 'Unknown'],
  [502, '<html>', 'Unavailable'],
  [500, '', 'Internal'],
  [429, '{}', 'Throttled'],
  [404, 'not found', 'Unknown'],
])('an answer of HTTP %i %s, which is no answer of the cloud, is %s and proves nothing', async (status, body, code) => {
  const stranger = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening));
  const address = stranger.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const parameters = await resolve();
  provider = open({ endpoint: `http://127.0.0.1:${port}` });
  expect((await errorOf(provider.list({ namespace: 'default' }, 'c1'))).code).toBe(code);
  expect((await errorOf(launch('t', parameters))).details.provesNoInstance).toBeUndefined();
  stranger.closeAllConnections();
  stranger.close();
});
