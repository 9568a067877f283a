import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { serveProfiling } from './profiling.ts';

const SERVE = `
  import { pino } from 'pino';
  import { serveProfiling } from './profiling.ts';
  console.log((await serveProfiling(0, pino({ level: 'silent' }))).address().port);
`;

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
  // Of a process of its own: the heap of this one has grown with every test before.
  const profiled = spawn(process.execPath, ['--input-type=module', '--eval', SERVE], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = (await once(profiled.stdout, 'data')) as [Buffer];
    const snapshot = await (await fetch(`http://127.0.0.1:${Number(port.toString())}/profile/heap`)).json();
    const { nodes, snapshot: facts } = snapshot as { nodes: unknown[]; snapshot: { node_count: number } };
    expect(facts.node_count).toBeGreaterThan(1000);
    expect(nodes.length % facts.node_count).toBe(0);
  } finally {
    profiled.kill();
  }
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
