import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { serveProfiling } from './profiling.ts';

let server: Server;
let url: string;

beforeAll(async () => {
  server = await serveProfiling(0, pino({ level: 'silent' }));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

test('it listens on the loopback and nowhere else', () => {
  expect((server.address() as AddressInfo).address).toBe('127.0.0.1');
});

test('a CPU profile names the functions that ran', async () => {
  const asked = fetch(`${url}/profile/cpu?seconds=0.5`);
  const until = Date.now() + 1000;
  const turn = (): void => {
    spendTime(20);
    if (Date.now() < until) setTimeout(turn, 1);
  };
  turn();
  const profile = (await (await asked).json()) as {
    nodes: { callFrame: { functionName: string } }[];
    samples: number[];
  };
  expect(profile.samples.length).toBeGreaterThan(10);
  // What it calls may have become a part of it by optimization.
  expect(profile.nodes.map(({ callFrame }) => callFrame.functionName)).toContain('turn');
}, 30_000);

test('a heap snapshot is one', async () => {
  const { body } = await fetch(`${url}/profile/heap`);
  // The whole of it is longer than a string may be, where many tests ran in this process before.
  let beginning = '';
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    beginning += chunk;
    if (beginning.includes('"edge_count"')) break;
  }
  const nodes = Number(/^\{"snapshot":\{.*"node_count":(\d+),/s.exec(beginning)?.[1]);
  expect(nodes).toBeGreaterThan(1000);
}, 60_000);

test('a length that cannot be is refused', async () => {
  for (const seconds of ['0', '-1', 'x', '1000']) {
    expect((await fetch(`${url}/profile/cpu?seconds=${seconds}`)).status).toBe(400);
  }
});

test('a page that reaches the loopback under another name is refused', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request(`${url}/profile/heap`, { headers: { host: 'evil.example' } }, (answer) => resolve(answer.statusCode))
      .once('error', reject)
      .end();
  });
  expect(status).toBe(403);
});

function spendTime(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
