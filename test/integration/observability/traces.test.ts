import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { readFile } from 'node:fs/promises';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { watchSlowness } from '../slowness.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { startOtlpReceiver, type OtlpReceiver, type Span } from './otlp-receiver.ts';

const NAME = 'traced';
const stack = getStack();
let receiver: OtlpReceiver;
let own: OwnNamespace;
let untraced: MillwrightProcess;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  connection = await Connection.connect({ address: stack.temporal.address });
  client = new Client({ connection, namespace: stack.temporal.namespace });
  receiver = await startOtlpReceiver();
  // Every second, instead of every five.
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '1000' };
  own = await openNamespace(NAME, { worker: { env }, watcherEnv: env });
}, 60_000);

afterAll(async () => {
  await own.end();
  await untraced?.end();
  await connection.close();
  receiver.close();
}, 90_000);

async function createMachine(name: string): Promise<string> {
  const { apiVersion, kind, metadata } = await own.createMachine(name);
  return workflowIdOf({ apiVersion, kind, namespace: NAME, name, uid: metadata.uid });
}

function spansNamed(name: string): readonly Span[] {
  return receiver.spans.filter((span) => span.name === name);
}

/** Replays a history in the bundle that every worker has. */
async function replay(workflowId: string): Promise<void> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const sinks = { exporter: { export: { fn() {} } } };
  await Worker.runReplayHistory({ workflowBundle: { codePath: stack.workflowBundle }, sinks }, history, workflowId);
}

test('a machine is one trace, from the signal that began it to the calls of its activities', async () => {
  const id = await createMachine('one');
  await own.untilPhase('one', 'Running');
  await own.removeMachine('one');
  await until(
    'the span of the whole life has come',
    async () => spansNamed('RunWorkflow:machine'),
    // A signal that came while it ended has Temporal do its last task over.
    (spans) => spans.length > 0,
  );
  const [life] = spansNamed('RunWorkflow:machine');
  const begun = receiver.spans.find(({ spanId }) => spanId === life?.parentSpanId);
  expect(begun).toMatchObject({ service: 'millwright-watcher', name: 'SignalWithStartWorkflow:machine' });
  expect(life).toMatchObject({ service: 'millwright-worker', attributes: { workflowId: id } });

  for (const activity of ['observeMachine', 'launchInstance', 'terminateInstance', 'letGo']) {
    const run = spansNamed(`RunActivity:${activity}`).find(({ traceId }) => traceId === life?.traceId);
    const asked = receiver.spans.find(({ spanId }) => spanId === run?.parentSpanId);
    expect(asked).toMatchObject({ name: `StartActivity:${activity}`, traceId: life?.traceId });
  }
  expect(spansNamed('HandleSignal:changed').length).toBeGreaterThan(0);
  await replay(id);
}, 90_000);

test('a workflow that was traced goes on under a worker without traces', async () => {
  const id = await createMachine('handed-over');
  await own.untilPhase('handed-over', 'Running');
  await own.worker.end();
  untraced = await startMillwright('worker', { args: ['--task-queue', NAME, '--termination-look', '0.5'] });
  await untraced.ready;
  await own.removeMachine('handed-over');
  await replay(id);
  const log = await readFile(untraced.log, 'utf8');
  expect(log).not.toMatch(/"level":50/);
}, 90_000);

test('a collector that is away keeps no worker from ending', async () => {
  await untraced.end();
  const deaf = await startMillwright('worker', {
    args: ['--task-queue', NAME, '--termination-look', '0.5'],
    // The last traces are sent when it ends.
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '600000' },
  });
  await deaf.ready;
  await createMachine('unheard-of');
  await own.untilPhase('unheard-of', 'Running');
  await own.removeMachine('unheard-of');
  const endedAt = Date.now();
  const slowness = watchSlowness();
  await deaf.end();
  expect(Date.now() - endedAt).toBeLessThan(8000 * slowness());
  const log = await readFile(deaf.log, 'utf8');
  expect(log).toContain('the last traces could not be sent');
  expect(log).toContain('worker has ended');
}, 90_000);
