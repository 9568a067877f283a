import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFaultProxy, type FaultProxy } from '../../../devstack/doubles/fault-proxy/fault-proxy.ts';
import { createKubernetesClassifier } from '../../../devstack/doubles/fault-proxy/kubernetes-classifier.ts';
import { behave, readLedger } from '../lifecycle/cloud.ts';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { watchSlowness } from '../slowness.ts';
import { writeProxiedKubeconfig } from '../proxied-kubeconfig.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { given } from '../../../providers/given.ts';

const NAME = 'drained';
/** Machines here, and what is behind them, take a moment to stop running; a busy computer is given some. */
const SLACK_MS = 1500;
/** The proof that an unanswered launch made nothing takes no longer than its call may, and what the cloud may hide. In seconds. */
const SHORT_TIMES = ['--call-timeout', '8', '--consistency-window', '3'] as const;

const stack = getStack();
let own: OwnNamespace;
let proxy: FaultProxy;
const processes: MillwrightProcess[] = [];

beforeAll(async () => {
  proxy = await createFaultProxy({
    target: stack.apiServer,
    tls: { ca: stack.certificate },
    ...createKubernetesClassifier(),
  });
  await behave('sim.slow', { launchLatencyMs: 3000 });
  await behave('sim.silent', { failures: [{ action: 'launch', answer: 'hang', times: 1 }] });
  own = await openNamespace(NAME, { workerArgs: SHORT_TIMES });
}, 60_000);

afterAll(async () => {
  // Somebody has to take the machines down.
  processes.push(await startWorker([]));
  await own.end();
  await Promise.all(processes.map((process) => process.end()));
  await proxy.close();
}, 120_000);

async function startWorker(args: readonly string[], kubeconfig?: string): Promise<MillwrightProcess> {
  const worker = await startMillwright('worker', {
    args: ['--task-queue', NAME, ...SHORT_TIMES, '--termination-look', '0.5', ...args],
    ...given({ kubeconfig }),
  });
  await worker.ready;
  return worker;
}

/** Ends it within its bound, and says how long that took, in milliseconds. */
async function endWithin(boundMs: number, worker: MillwrightProcess): Promise<number> {
  const startedAt = Date.now();
  const slowness = watchSlowness();
  await worker.end('SIGTERM');
  const took = Date.now() - startedAt;
  expect(took).toBeLessThan(boundMs + SLACK_MS * slowness());
  return took;
}

function untilLaunching(machine: string): Promise<unknown> {
  return own.untilMachine(machine, (m) => m.status?.providerStatus?.launch !== undefined, 'its launch is prepared');
}

async function launchesOf(machine: string): Promise<readonly { action: string; result?: unknown }[]> {
  const uid = (await own.machine(machine))?.metadata.uid;
  return (await readLedger(uid)).calls.filter(({ action }) => action === 'launch');
}

test('a launch that is under way is finished before the worker ends, and not repeated by the next one', async () => {
  await own.createMachine('slow', { providerSpec: { instanceType: 'sim.slow' } });
  await until(
    'the launch is called',
    () => launchesInFlight(own.worker),
    (count) => count > 0,
    { everyMs: 100 },
  );
  await endWithin(10_000, own.worker);
  expect(await readFile(own.worker.log, 'utf8')).toContain('worker has ended');

  const next = await startWorker([]);
  await own.untilPhase('slow', 'Running');
  expect(await launchesOf('slow')).toHaveLength(1);
  await next.end();
}, 90_000);

test('a launch that is not answered is given up after the grace time, and the process is gone within its bound', async () => {
  const worker = await startWorker(['--shutdown-grace', '1', '--shutdown-force', '4']);
  await own.createMachine('silent', { providerSpec: { instanceType: 'sim.silent' } });
  await untilLaunching('silent');
  await until(
    'the launch is called',
    () => launchesInFlight(worker),
    (count) => count > 0,
    { everyMs: 100 },
  );
  const took = await endWithin(5000, worker);
  expect(took).toBeGreaterThanOrEqual(900);
}, 60_000);

test('a request to an API server that has fallen silent does not keep the process beyond its bound', async () => {
  await own.worker.end();
  const kubeconfig = join(stack.stateDir, `${NAME}.kubeconfig`);
  await writeProxiedKubeconfig(kubeconfig, proxy.url, stack.tokens.worker);
  const worker = await startWorker(['--shutdown-grace', '1', '--shutdown-force', '1'], kubeconfig);
  const silence = proxy.addRule({
    match: { resource: 'machines' },
    fault: { kind: 'delay-request', ms: 60_000 },
  });
  await own.createMachine('unseen');
  await until(
    'it is asked for',
    async () => silence.hits,
    (hits) => hits > 0,
    { everyMs: 50 },
  );
  await endWithin(2000, worker);
  silence.remove();
  proxy.cutConnections();
  const log = await readFile(worker.log, 'utf8');
  expect(log).toContain('not ended within 2 s: ending all the same');
  expect(log).toMatch(/"running(Local)?Activities":[1-9]/);
}, 60_000);

/** Activities that a worker runs now, by its own metrics. */
async function launchesInFlight({ url }: MillwrightProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/temporal_worker_task_slots_used\{.*worker_type="ActivityWorker"\} (\d+)/.exec(text)?.[1] ?? 0);
}
