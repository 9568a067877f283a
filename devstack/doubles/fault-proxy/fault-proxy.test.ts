import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CloudTestClient, startTestCloud } from '../cloud/json-front/cloud-test-client.ts';
import type { TestCloud } from '../cloud/json-front/cloud-test-client.ts';
import { createFaultProxy } from './fault-proxy.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { createKubernetesClassifier } from './kubernetes-classifier.ts';
import { describePoint } from './request-point.ts';
import { createSimulatedCloudClassifier } from './simulated-cloud-classifier.ts';
import { given } from '../../../providers/given.ts';

let cloud: TestCloud;
let proxy: FaultProxy;
/** Goes through the proxy; `cloud.client` does not. */
let client: CloudTestClient;

beforeEach(async () => {
  cloud = await startTestCloud();
  proxy = await createFaultProxy({ target: cloud.endpoint, ...createSimulatedCloudClassifier() });
  client = new CloudTestClient(proxy.url);
});
afterEach(async () => {
  await proxy.close();
  await cloud.close();
});

const made = async () => (await cloud.client.ledger()).instances.length;
const recorded = () => proxy.recorded.map(({ point }) => describePoint(point));

describe('the numbering', () => {
  it('names each request by what it does to which Machine, and counts per Machine', async () => {
    const id = await client.launchId();
    await client.launchId();
    await client.launchId({ clientToken: 't-2', tags: { namespace: 'default', name: 'web-2', machineUid: 'uid-2' } });
    await client.describe({ filters: { machineUid: 'uid-1' } });
    await client.describe({ filters: { clientToken: 't-2' } });
    await client.describe({ filters: { instanceIds: [id] } });
    await client.describe({ filters: { cluster: 'c1' } });
    await client.operate(id, 'terminate');
    await client.send('GET', '/catalog');
    await client.send('GET', '/ledger');
    expect(recorded()).toEqual([
      'LAUNCH instances #1 of default/web-1',
      'LAUNCH instances #2 of default/web-1',
      'LAUNCH instances #1 of default/web-2',
      'DESCRIBE instances/by-machine #1 of default/web-1',
      'DESCRIBE instances/by-token #1 of default/web-2',
      'DESCRIBE instances/by-id #1 of default/web-1',
      'DESCRIBE instances/by-cluster #1 of c1',
      'TERMINATE instances #1 of default/web-1',
      'GET catalog #1',
    ]);
    expect(proxy.recorded.every(({ outcome, status }) => outcome === 'answered' && status === 200)).toBe(true);
  });

  it('knows the Machines of instances that were launched past it from what describes answer', async () => {
    const id = await cloud.client.launchId();
    await client.describe();
    await client.operate(id, 'terminate');
    expect(recorded()).toEqual(['DESCRIBE instances/all #1', 'TERMINATE instances #1 of default/web-1']);
  });
});

describe('the phases of a request', () => {
  it('come in order, each at its place', async () => {
    const seen: string[] = [];
    proxy.onPoint(async (_, phase) => {
      seen.push(`${phase}: ${await made()} made`);
    });
    const answer = client.launch().then(() => seen.push('answered'));
    await answer;
    // The last one asks the cloud before it tells.
    for (let waits = 0; seen.length < 4 && waits < 250; waits += 1) await delay(20);
    expect(seen.slice(0, 2)).toEqual(['before: 0 made', 'after-effect: 1 made']);
    expect(seen.slice(2).toSorted()).toEqual(['after-answer: 1 made', 'answered']);
  });

  it('let the request wait for the hook', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const remove = proxy.onPoint(() => promise);
    const launched = client.launch();
    await new Promise((done) => setTimeout(done, 50));
    expect(await made()).toBe(0);
    remove();
    resolve();
    expect((await launched).status).toBe(200);
  });

  it.each([
    ['before', 0, 'not-sent'],
    ['after-effect', 1, 'lost'],
  ] as const)('cut at %s leave the client without an answer and %i instances', async (at, count, outcome) => {
    proxy.onPoint((_, phase) => ({ drop: phase === at }));
    await expect(client.launch()).rejects.toThrow('fetch failed');
    expect(await made()).toBe(count);
    expect(proxy.recorded).toMatchObject([{ outcome }]);
  });

  it('send nothing of a client that went away before', async () => {
    const come = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    proxy.onPoint(async (_, phase) => {
      if (phase !== 'before') return;
      come.resolve();
      await goesOn.promise;
    });
    const body = JSON.stringify({ clientToken: 't', zone: 'zone-a', instanceType: 'sim.a', image: 'image-1' });
    const client = new AbortController();
    const left = fetch(`${proxy.url}/instances`, { method: 'POST', body, signal: client.signal });
    await come.promise;
    client.abort();
    await expect(left).rejects.toThrow();
    // By the time that another request is answered, the proxy has heard that the connection ended.
    expect(await made()).toBe(0);
    goesOn.resolve();
    while (proxy.recorded[0]?.outcome === 'open') await delay(5);
    expect(await made()).toBe(0);
    expect(proxy.recorded).toMatchObject([{ outcome: 'not-sent' }]);
  });
});

describe('a rule', () => {
  it('loses the answer of the request it names, and no other', async () => {
    proxy.addRule({ match: { verb: 'launch', ordinal: 2 }, fault: { kind: 'lose-answer' } });
    const first = await client.launchId();
    await expect(client.launch({ clientToken: 't-2' })).rejects.toThrow('fetch failed');
    expect(await made()).toBe(2);
    expect(await client.launchId()).toBe(first);
  });

  it('loses the request', async () => {
    const rule = proxy.addRule({ match: {}, fault: { kind: 'lose-request' }, times: 1 });
    await expect(client.launch()).rejects.toThrow('fetch failed');
    expect([await made(), rule.hits]).toEqual([0, 1]);
    expect((await client.launch()).status).toBe(200);
  });

  it('repeats the request', async () => {
    proxy.addRule({ match: { verb: 'launch' }, fault: { kind: 'repeat' } });
    expect((await client.launch()).status).toBe(200);
    const { calls, instances } = await cloud.client.ledger();
    expect([calls.length, instances.length]).toEqual([2, 1]);
    expect(recorded()).toHaveLength(1);
  });

  it.each(['delay-request', 'delay-answer'] as const)('does a %s', async (kind) => {
    proxy.addRule({ match: {}, fault: { kind, ms: 500 } });
    const begin = performance.now();
    let isAnswered = false;
    const launched = client.launch().finally(() => (isAnswered = true));
    const wanted = kind === 'delay-request' ? 0 : 1;
    do await new Promise((resolve) => setTimeout(resolve, 60));
    while ((await made()) < wanted);
    expect(await made()).toBe(wanted);
    expect(isAnswered).toBe(false);
    expect((await launched).status).toBe(200);
    expect(performance.now() - begin).toBeGreaterThan(495);
  });

  it('answers instead of the cloud', async () => {
    const body = { error: { code: 'ServiceUnavailable', message: 'away' } };
    const rule = proxy.addRule({ match: { resource: 'instances' }, fault: { kind: 'answer', status: 503, body } });
    expect(await client.launch()).toEqual({ status: 503, body });
    expect(await made()).toBe(0);
    rule.remove();
    expect((await client.launch()).status).toBe(200);
  });
});

it('cuts the connection when nobody is behind it, and goes on when somebody is again', async () => {
  await proxy.close();
  proxy = await createFaultProxy({ target: 'http://127.0.0.1:1', ...createSimulatedCloudClassifier() });
  await expect(fetch(`${proxy.url}/catalog`)).rejects.toThrow('fetch failed');
  await expect(fetch(`${proxy.url}/healthz`)).rejects.toThrow('fetch failed');
  expect(proxy.recorded).toMatchObject([{ outcome: 'upstream-failed' }]);
});

it('cuts the connection and tells of a hook that throws', async () => {
  const errors: unknown[] = [];
  await proxy.close();
  proxy = await createFaultProxy({
    target: cloud.endpoint,
    ...createSimulatedCloudClassifier(),
    onPoint: () => Promise.reject(new Error('a broken test')),
    onError: (error) => errors.push(error),
  });
  await expect(fetch(`${proxy.url}/catalog`)).rejects.toThrow('fetch failed');
  expect(errors).toMatchObject([{ message: 'a broken test' }]);
});

describe('a watch', () => {
  const watchPath = '/api/v1/nodes?watch=true';
  let watchers: ServerResponse[];
  let server: ReturnType<typeof createServer>;
  let authorization: string | undefined;

  beforeEach(async () => {
    watchers = [];
    server = createServer((request, response) => {
      authorization = request.headers.authorization;
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      watchers.push(response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    await proxy.close();
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    proxy = await createFaultProxy({ target: `http://127.0.0.1:${port}`, ...createKubernetesClassifier() });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const watch = async (signal?: AbortSignal) => {
    const response = await fetch(`${proxy.url}${watchPath}`, {
      headers: { authorization: 'Bearer xyz' },
      ...given({ signal }),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    return async () => (await reader?.read())?.value;
  };

  it('passes each event on as it comes, and the Authorization with it', async () => {
    const phases: string[] = [];
    proxy.onPoint((point, phase) => {
      phases.push(`${describePoint(point)} ${phase}`);
    });
    const read = await watch();
    watchers[0]?.write('one\n');
    expect(await read()).toBe('one\n');
    watchers[0]?.write('two\n');
    expect(await read()).toBe('two\n');
    expect(authorization).toBe('Bearer xyz');
    expect(phases).toEqual(['WATCH nodes #1 before', 'WATCH nodes #1 after-effect']);
    watchers[0]?.end();
    expect(await read()).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(phases[2]).toBe('WATCH nodes #1 after-answer');
  });

  it('ends upstream when its client goes away', async () => {
    const leave = new AbortController();
    await watch(leave.signal);
    const closed = new Promise((resolve) => watchers[0]?.once('close', resolve));
    leave.abort();
    await closed;
  });

  it('is cut with all other connections', async () => {
    const read = await watch();
    proxy.cutConnections();
    await expect(read()).rejects.toThrow();
  });
});
