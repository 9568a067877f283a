import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { refOf } from '../../../k8s/dialects/kind.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { behave } from '../lifecycle/cloud.ts';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { watchSlowness } from '../slowness.ts';
import { getStack } from '../stack.ts';

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

const NAMESPACE = 'killed-worker';
/** Machines whose instance is pending when the worker is killed, and machines whose launch is under way. */
const PENDING = 20;
const PENDING_TYPE = 'sim.xlarge';
const LAUNCHING = 10;
const LAUNCHING_TYPE = 'sim.large';
const COUNT = PENDING + LAUNCHING;
const LOOK_MS = 100;
/** From the Node's being Ready until the machine runs: half of them, and all. The latter is a task's time-out and a second. */
const HALF_MS = 5000;
const WORST_MS = 11_000;

const { kube, temporal } = getStack();
let own: OwnNamespace;
let doomed: MillwrightProcess;
let connection: Connection;

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
  doomed = await startMillwright('worker', { args: ['--task-queue', NAMESPACE] });
  connection = await Connection.connect({ address: temporal.address });
  await behave(PENDING_TYPE, { pendingMs: 5000 });
  await behave(LAUNCHING_TYPE, { launchLatencyMs: 4000 });
  await doomed.ready;
}, 120_000);

afterAll(async () => {
  await behave(PENDING_TYPE, {});
  await behave(LAUNCHING_TYPE, {});
  await connection?.close();
  await doomed?.end();
  await own?.end();
}, 120_000);

test('machines that a killed worker was at, or had in memory, run soon after their Nodes are Ready', async () => {
  await Promise.all([
    own.createMachineSet('pending', { replicas: PENDING, providerSpec: { instanceType: PENDING_TYPE } }),
    own.createMachineSet('launching', { replicas: LAUNCHING, providerSpec: { instanceType: LAUNCHING_TYPE } }),
  ]);
  /** Since when Nodes are there, by providerID, and since when machines run, by name. The simulated Nodes are Ready at once. */
  const readySince = new Map<string, number>();
  const runsSince = new Map<string, number>();
  const startedAt = Date.now();
  const slowness = watchSlowness();
  let killedAt: number | undefined;
  while (runsSince.size < COUNT && Date.now() - startedAt < 60_000 * slowness()) {
    const [machines, nodes] = await Promise.all([own.machines(), kube.list<Node>(NODES)]);
    const now = Date.now();
    for (const { spec } of nodes.items) noteFirst(readySince, spec?.providerID, now);
    for (const { metadata, status } of machines) {
      if (status?.phase === 'Running') noteFirst(runsSince, metadata.name, now);
    }
    if (killedAt === undefined && machines.filter(({ spec }) => spec.providerID !== undefined).length >= PENDING) {
      await doomed.end('SIGKILL');
      killedAt = Date.now();
    }
    await delay(LOOK_MS);
  }
  expect(runsSince.size).toBe(COUNT);

  const late: { readonly ms: number; readonly timeouts: string }[] = [];
  for (const machine of await own.machines()) {
    const ran = runsSince.get(machine.metadata.name) ?? Infinity;
    const since = Math.max(killedAt ?? Infinity, readySince.get(machine.spec.providerID ?? '') ?? Infinity);
    const events = await historyOf(machine);
    if (ran > (killedAt ?? 0) && events.some(wasWith(doomed))) {
      late.push({ ms: ran - since, timeouts: events.map(timeoutOf).join('') });
    }
  }
  late.sort((a, b) => a.ms - b.ms);
  const lines = late.map(({ ms, timeouts }) => `${(ms / 1000).toFixed(1)} s${timeouts}`);
  console.log(`of the killed worker, from Node Ready to Running: ${lines.join('; ')}`);
  expect(late.length).toBeGreaterThanOrEqual(6);
  expect(late[Math.floor((late.length - 1) / 2)]?.ms).toBeLessThan(HALF_MS * slowness());
  expect(late.at(-1)?.ms).toBeLessThan(WORST_MS * slowness());
}, 120_000);

function noteFirst(times: Map<string, number>, key: string | undefined, now: number): void {
  if (key !== undefined && !times.has(key)) times.set(key, now);
}

async function historyOf(machine: MachineObject): Promise<readonly HistoryEvent[]> {
  const client = new Client({ connection, namespace: temporal.namespace });
  return (await client.workflow.getHandle(workflowIdOf(refOf(machine))).fetchHistory()).events ?? [];
}

/** Whether the event is the start of a task or an activity by that worker. */
function wasWith({ pid }: MillwrightProcess): (event: HistoryEvent) => boolean {
  return ({ workflowTaskStartedEventAttributes: task, activityTaskStartedEventAttributes: activity }) =>
    (task?.identity ?? activity?.identity)?.startsWith(`${pid}@`) === true;
}

/** What the machine waited for after the kill: a task that nobody took, a task or a call that nobody ended. */
function timeoutOf({
  workflowTaskTimedOutEventAttributes: task,
  activityTaskTimedOutEventAttributes: activity,
}: HistoryEvent): string {
  if (activity) return ' (call)';
  if (!task) return '';
  return task.startedEventId?.toNumber() ? ' (task begun)' : ' (task waiting)';
}
