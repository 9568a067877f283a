import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../providers/clock.ts';
import { VirtualClock } from '../providers/virtual-clock-for-tests.ts';
import type { KubeClient } from './client.ts';
import { createKubeClient, type KubeClientOptions } from './http-client.ts';
import { isNotFound, isNotSent, isNotServed, isPassing, KubeError } from './kube-error.ts';
import { MACHINES } from './dialects/openshift/resources.ts';
import { LEASES, NAMESPACES } from './resources.ts';

const POD = { namespace: 'ns', name: 'p', uid: 'u' };
const inTime = () => false;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A client of a server that gives one answer to everything. */
function answering(status: number, body: string): Promise<KubeClient> {
  return clientOf((_request, response) => response.writeHead(status).end(body));
}

async function clientOf(listener: RequestListener, options: KubeClientOptions = {}): Promise<KubeClient> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const config = new KubeConfig();
  const { port } = server.address() as AddressInfo;
  config.loadFromClusterAndUser({ name: 'c', server: `http://127.0.0.1:${port}`, skipTLSVerify: true }, { name: 'u' });
  return createKubeClient(config, options);
}

async function failureOf(run: () => Promise<unknown>): Promise<KubeError> {
  const error = await run().catch((reason: unknown) => reason);
  if (error instanceof KubeError) return error;
  throw new Error(`no KubeError: ${String(error)}`);
}

/** As the API server answers, but for what a case changes. */
function notFound(change: object = {}): string {
  const details = { name: 'm', group: 'machine.openshift.io', kind: 'machines' };
  const told = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, details };
  return JSON.stringify({ ...told, message: 'machines.machine.openshift.io "m" not found', ...change });
}

test('how a kind is served is found by what the API server tells of its group; what is not served is not found', async () => {
  const resources = [
    { name: 'repairs/status', kind: 'Repair', namespaced: true },
    { name: 'repairs', kind: 'Repair', namespaced: true },
  ];
  const paths: (string | undefined)[] = [];
  const kube = await clientOf(({ url }, response) => {
    paths.push(url);
    if (url === '/apis/example.com/v1') response.end(JSON.stringify({ kind: 'APIResourceList', resources }));
    else response.writeHead(404).end('404 page not found');
  });
  const [apiVersion, kind] = ['example.com/v1', 'Repair'];
  expect(await kube.find(apiVersion, kind)).toEqual({ apiVersion, kind, plural: 'repairs', namespaced: true });
  expect(await kube.find(apiVersion, 'Other')).toBeUndefined();
  expect(await kube.find('example.com/v2', kind)).toBeUndefined();
  expect(paths).toEqual(['/apis/example.com/v1', '/apis/example.com/v1', '/apis/example.com/v2']);
  const refusing = await answering(500, 'away');
  await expect(refusing.find(apiVersion, kind)).rejects.toThrow('500');
});

test('a request that is not answered fails when its time is over, by the clock that was given', async () => {
  const clock = new VirtualClock();
  const asked = Promise.withResolvers<void>();
  const kube = await clientOf(() => asked.resolve(), { clock, timeoutMs: 7000 });
  const failure = failureOf(() => kube.get(MACHINES, 'ns', 'm'));
  await asked.promise;
  await clock.pass(6999);
  expect(clock.pending).toBe(1);
  await clock.pass(1);
  expect(await failure).toMatchObject({
    status: 0,
    message: expect.stringMatching(/no answer from .*took longer than 7000 ms/),
  });
});

test.each<[string, (kube: KubeClient) => Promise<void>]>([
  ['an eviction', (kube) => kube.evict(POD, inTime)],
  ['the deletion of a pod', (kube) => kube.removePod(POD, 1, inTime)],
])('%s fails when it is not answered within 15 s, whatever other requests have', async (_what, ask) => {
  const clock = new VirtualClock();
  const asked = Promise.withResolvers<void>();
  const kube = await clientOf(() => asked.resolve(), { clock, timeoutMs: 7000 });
  const failure = failureOf(() => ask(kube));
  await asked.promise;
  await clock.pass(14_999);
  expect(clock.pending).toBe(1);
  await clock.pass(1);
  expect(await failure).toMatchObject({ status: 0, message: expect.stringMatching(/took longer than 15000 ms/) });
});

test('an answer ends the wait for it', async () => {
  const clock = new VirtualClock();
  const kube = await clientOf((_request, response) => response.writeHead(404).end(notFound()), { clock });
  await failureOf(() => kube.get(MACHINES, 'ns', 'm'));
  expect(clock.pending).toBe(0);
});

test('the API server’s time is what its newest answer said, and what passed since', async () => {
  let now = 5000;
  const date = ['Thu, 01 Jan 2026 00:00:10 GMT', 'Thu, 01 Jan 2026 00:00:20 GMT', 'no date'];
  const kube = await clientOf((_request, response) => response.writeHead(404, { date: date.shift() }).end(notFound()), {
    clock: { ...systemClock, now: () => now },
  });
  expect(kube.serverTime()).toBeUndefined();
  await failureOf(() => kube.get(MACHINES, 'ns', 'm'));
  expect(kube.serverTime()).toBe(Date.parse('2026-01-01T00:00:10Z'));
  await failureOf(() => kube.get(MACHINES, 'ns', 'm'));
  now += 2500;
  expect(kube.serverTime()).toBe(Date.parse('2026-01-01T00:00:22.5Z'));
  await failureOf(() => kube.get(MACHINES, 'ns', 'm'));
  expect(kube.serverTime()).toBeUndefined();
});

test('an eviction that is answered by a failure in the guise of a success has failed', async () => {
  const message = 'This pod has more than one PodDisruptionBudget';
  const kube = await answering(201, JSON.stringify({ kind: 'Status', status: 'Failure', message, code: 500 }));
  const error = await failureOf(() => kube.evict(POD, inTime));
  expect([error.status, error.message]).toEqual([500, expect.stringContaining(message)]);
  const fine = await answering(201, JSON.stringify({ kind: 'Status', status: 'Success', code: 201 }));
  await expect(fine.evict(POD, inTime)).resolves.toBeUndefined();
});

test('what has pods leave, and a webhook keeps waiting, delays no other request', async () => {
  const kube = await clientOf((request, response) => {
    if (request.method === 'GET') response.writeHead(200).end('{}');
  });
  for (let i = 0; i < 100; i += 1) {
    kube.evict({ ...POD, name: `p-${i}` }, inTime).catch(() => undefined);
    kube.removePod({ ...POD, name: `q-${i}` }, 30, inTime).catch(() => undefined);
  }
  await expect(kube.get(MACHINES, 'ns', 'm')).resolves.toEqual({});
}, 10_000);

test('a pod is deleted by its uid, with the time that it is given', async () => {
  let body = '';
  const kube = await clientOf((request, response) => {
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => response.writeHead(200).end('{}'));
  });
  await kube.removePod(POD, 7, inTime);
  expect(JSON.parse(body)).toMatchObject({ preconditions: { uid: 'u' }, gracePeriodSeconds: 7 });
});

test('what has a pod leave is not sent where it is too late for it', async () => {
  let requests = 0;
  const kube = await clientOf((_request, response) => {
    requests += 1;
    response.writeHead(201).end('{}');
  });
  const errors = [
    await failureOf(() => kube.evict(POD, () => true)),
    await failureOf(() => kube.removePod(POD, 1, () => true)),
  ];
  expect([errors.map(isNotSent), requests]).toEqual([[true, true], 0]);
});

test('a refusal tells its causes, and when to ask again', async () => {
  const details = { causes: [{ reason: 'DisruptionBudget', message: 'needs 2' }], retryAfterSeconds: 10 };
  const kube = await answering(429, JSON.stringify({ kind: 'Status', reason: 'TooManyRequests', details, code: 429 }));
  const error = await failureOf(() => kube.evict(POD, inTime));
  expect(error.details).toEqual(details);
});

describe('an answer of 404', () => {
  test('tells that an object is not there, where the API server says so of this object', async () => {
    const kube = await answering(404, notFound());
    for (const run of [
      () => kube.get(MACHINES, 'ns', 'm'),
      () => kube.delete(MACHINES, 'ns', 'm'),
      () => kube.mergePatch(MACHINES, 'ns', 'm', {}),
    ]) {
      const error = await failureOf(run);
      expect([error.reason, isNotFound(error), isNotServed(error), isPassing(error)]).toEqual([
        'NotFound',
        true,
        false,
        false,
      ]);
    }
  });

  test('of a core kind has no group', async () => {
    const kube = await answering(404, notFound({ details: { name: 'ns', kind: 'namespaces' } }));
    expect(isNotFound(await failureOf(() => kube.get(NAMESPACES, undefined, 'ns')))).toBe(true);
  });

  test.each([
    ['the page of a proxy', '<html><body><h1>404 Not Found</h1></body></html>'],
    ['what a mux answers to a path that it does not know', '404 page not found\n'],
    ['nothing', ''],
    ['JSON of somebody else', '{"reason":"NotFound","message":"no such route"}'],
    ['JSON that is no object', 'null'],
    [
      'a kind that is not served',
      notFound({ message: 'the server could not find the requested resource', details: {} }),
    ],
    ['no details', notFound({ details: undefined })],
    ['another object', notFound({ details: { name: 'n', group: 'machine.openshift.io', kind: 'machines' } })],
    [
      'another kind of that name',
      notFound({ details: { name: 'm', group: 'machine.openshift.io', kind: 'machinesets' } }),
    ],
    ['no Status, whatever else it has', notFound({ kind: 'Error' })],
    ['that name in another group', notFound({ details: { name: 'm', group: 'example.com', kind: 'machines' } })],
    ['another reason', notFound({ reason: 'Gone' })],
  ])('proves nothing where it is %s', async (_what, body) => {
    const kube = await answering(404, body);
    const error = await failureOf(() => kube.get(MACHINES, 'ns', 'm'));
    expect([error.reason, isNotFound(error), isNotServed(error), isPassing(error)]).toEqual([
      'NotServed',
      false,
      true,
      true,
    ]);
  });

  test('to a list tells that the kind is not served, or that somebody else answered', async () => {
    for (const body of [notFound({ details: {} }), '404 page not found\n']) {
      const kube = await answering(404, body);
      const error = await failureOf(() => kube.list(LEASES, {}));
      expect([isNotFound(error), isNotServed(error)]).toEqual([false, true]);
    }
  });

  test('to a creation keeps the word of the API server on what is missing', async () => {
    const kube = await answering(404, notFound({ message: 'no "ns"', details: { name: 'ns', kind: 'namespaces' } }));
    const error = await failureOf(() => kube.create(MACHINES, 'ns', {}));
    expect([error.reason, isNotServed(error)]).toEqual(['NotFound', false]);
  });
});
