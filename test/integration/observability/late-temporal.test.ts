import { afterAll, expect, test } from '@jest/globals';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../devstack/stack/ports.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { getStack } from '../stack.ts';
import { scrape } from './scrape.ts';

const stack = getStack();
let worker: MillwrightProcess | undefined;
let door: Server | undefined;

afterAll(async () => {
  await worker?.end();
  door?.close();
});

/** What this process counts, at this moment: rejects where it does not answer. */
async function seriesOf(url: string): Promise<string[]> {
  return [...(await scrape(url, 'worker'))].map(([name, value]) => `${name} ${value}`);
}

test('a worker that waits for Temporal answers every scrape, and has the metrics of the SDK once Temporal is there', async () => {
  const port = await freePort();
  worker = await startMillwright('worker', {
    args: ['--task-queue', 'late-temporal'],
    temporalAddress: `127.0.0.1:${port}`,
  });
  worker.ready.catch(() => {});
  while ((await fetch(`${worker.url}/healthz`).catch(() => undefined)) === undefined) await delay(50);
  // It tries every 2 s.
  for (let look = 0; look < 25; look += 1) {
    const notReady = expect.stringMatching(/^millwright_ready\{check="temporal".* 0$/);
    expect(await seriesOf(worker.url)).toContainEqual(notReady);
    await delay(200);
  }

  const [, temporalPort] = stack.temporal.address.split(':');
  const opened = createServer((from) => {
    const to = connect(Number(temporalPort), '127.0.0.1');
    from.pipe(to).pipe(from);
    for (const socket of [from, to]) socket.on('error', () => [from, to].forEach((one) => one.destroy()));
  });
  door = opened;
  await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve));
  await worker.ready;
  expect(await seriesOf(worker.url)).toContainEqual(expect.stringMatching(/^temporal_request/));
}, 90_000);
