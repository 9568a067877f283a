import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startTestCloud } from '../cloud/json-front/cloud-test-client.ts';
import type { TestCloud } from '../cloud/json-front/cloud-test-client.ts';
import { createFaultProxy } from './fault-proxy.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { armKill } from './kill-at.ts';
import { describePoint } from './request-point.ts';
import { createSimulatedCloudClassifier } from './simulated-cloud-classifier.ts';

let cloud: TestCloud;
let proxy: FaultProxy;
let worker: ChildProcess | undefined;

beforeEach(async () => {
  cloud = await startTestCloud();
  proxy = await createFaultProxy({ target: cloud.endpoint, ...createSimulatedCloudClassifier() });
});
afterEach(async () => {
  worker?.kill('SIGKILL');
  await proxy.close();
  await cloud.close();
});

/** Launches the same instance over and over. */
const LAUNCH_FOREVER = `
  const body = JSON.stringify({ clientToken: 't', zone: 'zone-a', instanceType: 'sim.a', image: 'image-1', tags: { name: 'web-1' } });
  for (;;) await fetch(process.argv[1] + '/instances', { method: 'POST', body }).catch(() => process.exit(7));
`;

const startWorker = () => {
  worker = spawn(process.execPath, ['--input-type=module', '-e', LAUNCH_FOREVER, proxy.url], { stdio: 'inherit' });
  return once(worker, 'exit');
};

it.each([
  ['before', 2, 'not-sent'],
  ['after-effect', 3, 'lost'],
  ['after-answer', 3, 'answered'],
] as const)(
  'kills %s the third launch: the cloud has seen %i of them',
  async (phase, count, outcome) => {
    const kill = armKill({ pid: () => worker?.pid, point: { verb: 'launch', ordinal: 3 }, phase });
    proxy.onPoint(kill.onPoint);
    expect(kill.hit).toBeUndefined();
    const [code, signal] = await startWorker();
    expect([code, signal]).toEqual([null, 'SIGKILL']);
    expect(describePoint(await kill.whenHit)).toBe('LAUNCH instances #3 of /web-1');
    await new Promise((resolve) => setTimeout(resolve, 50));
    // After the answer the worker may have got another request out before it died, which is then not lost.
    const launches = (await cloud.client.ledger()).calls.filter(({ action }) => action === 'launch');
    if (phase === 'after-answer') expect(launches.length).toBeLessThanOrEqual(count + 1);
    else expect(launches).toHaveLength(count);
    expect(proxy.recorded[2]).toMatchObject({ outcome });
  },
  20_000,
);

it('kills once: the worker that comes after goes on, and so do the ordinals', async () => {
  const kill = armKill({ pid: () => worker?.pid, point: { verb: 'launch' }, phase: 'before' });
  proxy.onPoint(kill.onPoint);
  await startWorker();
  const exit = startWorker();
  while (proxy.recorded.length < 4) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(kill.hit?.ordinal).toBe(1);
  expect(proxy.recorded.slice(0, 4).map(({ point }) => point.ordinal)).toEqual([1, 2, 3, 4]);
  worker?.kill('SIGKILL');
  await exit;
}, 20_000);

it('stays armed where nothing runs', async () => {
  const kill = armKill({ pid: () => undefined, point: {}, phase: 'before' });
  proxy.onPoint(kill.onPoint);
  expect((await fetch(`${proxy.url}/catalog`)).status).toBe(200);
  expect(kill.hit).toBeUndefined();
});
