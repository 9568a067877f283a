import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { readClusterUid } from '../../../k8s/cluster.ts';
import { inventoryWorkflowId, workflowIdOf } from '../../../workflows/ids.ts';
import { isCounted, readWrites, tally, untilRunning } from '../../bench/audit-log.ts';
import { countActivities, countTasks, outline, wayToRunning } from '../../bench/history.ts';
import { readLedger } from '../lifecycle/cloud.ts';
import { isAtRest, openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import { releaseInventory, type ReleasedInventory } from './released-inventory.ts';

const NAMESPACE = 'budgets';
const COUNT = 25;
const BUDGET = { events: 24, tasks: 4, writes: 8, launches: 1, tasksPerInventory: 2 };
/** How long the machines at rest are watched, and how often the cloud is compared with them, in seconds. */
const IDLE_SECONDS = 60;
const INVENTORY_SECONDS = 20;

const { kube, temporal, auditLog } = getStack();
let inventory: ReleasedInventory;
let own: OwnNamespace;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  connection = await Connection.connect({ address: temporal.address });
  client = new Client({ connection, namespace: temporal.namespace });
  inventory = await releaseInventory();
  own = await openNamespace(NAMESPACE, { workerArgs: ['--inventory-interval', String(INVENTORY_SECONDS)] });
}, 120_000);

afterAll(async () => {
  await inventory.hold();
  await own.end();
  await connection.close();
}, 180_000);

const idOf = ({ apiVersion, kind, metadata: { namespace, name, uid } }: MachineObject) =>
  workflowIdOf({ apiVersion, kind, namespace, name, uid });

test(`${COUNT} machines come up within the budget`, async () => {
  const startedAt = Date.now();
  await own.createMachineSet('budget', { replicas: COUNT });
  const machines = await own.untilMachines(
    `${COUNT} at rest`,
    (seen) => seen.length === COUNT && seen.every(isAtRest),
    { timeoutMs: 120_000, everyMs: 500 },
  );
  const tookMs = Date.now() - startedAt;
  await own.untilMachineSet('budget', (s) => s.status?.availableReplicas === COUNT, 'the set says so');

  const writes = (await readWrites(auditLog, startedAt)).filter(isCounted);
  const itsOwn = machines.flatMap(({ metadata: { namespace, name }, status }) =>
    untilRunning(writes, { namespace, name, node: status?.nodeRef?.name ?? '' }),
  );
  const toRunning = [...itsOwn, ...writes.filter(({ resource }) => resource.startsWith('machinesets'))];
  const ways = await Promise.all(machines.map((m) => wayToRunning(client, idOf(m))));
  const { calls } = await readLedger();
  const launches = machines.map(
    ({ metadata }) => calls.filter(({ action, machine }) => action === 'launch' && machine === metadata.uid).length,
  );
  const measured = {
    machines: COUNT,
    seconds: Math.round(tookMs / 100) / 10,
    mostEvents: Math.max(...ways.map(({ events }) => events)),
    mostTasks: Math.max(...ways.map(({ tasks }) => tasks)),
    mostLaunches: Math.max(...launches),
    writesPerMachine: toRunning.length / COUNT,
    writes: tally(toRunning),
    // With what is written once the Node is Ready: the condition, the instance's state and addresses.
    writesUntilAtRest: tally(writes),
  };
  console.log(JSON.stringify(measured, null, 2));
  const over = machines.filter(
    (_, i) => (ways[i]?.events ?? 0) > BUDGET.events || (ways[i]?.tasks ?? 0) > BUDGET.tasks,
  );
  if (over[0] !== undefined) console.log(`over budget:\n${await outline(client, idOf(over[0]))}`);
  expect(measured.mostEvents).toBeLessThanOrEqual(BUDGET.events);
  expect(measured.mostTasks).toBeLessThanOrEqual(BUDGET.tasks);
  expect(measured.writesPerMachine).toBeLessThanOrEqual(BUDGET.writes);
  expect(launches).toEqual(launches.map(() => BUDGET.launches));
}, 180_000);

test(
  'and then, while nothing changes, cost no workflow task',
  async () => {
    const set = await own.machineSet('budget');
    const { apiVersion, kind } = set;
    const setId = workflowIdOf({ apiVersion, kind, namespace: NAMESPACE, name: 'budget', uid: set.metadata.uid });
    const ids = [setId, ...(await own.machines()).map(idOf)];
    const inventoryId = inventoryWorkflowId(await readClusterUid(kube));
    const count = async () => Promise.all(ids.map((id) => countTasks(client, id)));

    const before = await count();
    const tasksBefore = await countTasks(client, inventoryId);
    const roundsBefore = await countActivities(client, inventoryId);
    const startedAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
    const after = await count();
    const taken = (await countTasks(client, inventoryId)) - tasksBefore;
    const inventories = (await countActivities(client, inventoryId)) - roundsBefore;
    const writes = (await readWrites(auditLog, startedAt)).filter(isCounted);
    console.log(
      `${ids.length} workflows idle for ${IDLE_SECONDS} s: ${sum(after) - sum(before)} workflow tasks, ${writes.length} writes; ${inventories} inventories took ${taken} workflow tasks`,
    );
    const busy = ids.filter((_, i) => after[i] !== before[i]);
    if (busy[0] !== undefined) console.log(`not idle:\n${await outline(client, busy[0])}`);
    expect(busy).toEqual([]);
    expect(writes).toEqual([]);
    expect(inventories).toBeGreaterThanOrEqual(Math.floor(IDLE_SECONDS / INVENTORY_SECONDS) - 1);
    // A round under way at either end is counted with one of its two tasks.
    expect(taken).toBeLessThanOrEqual(BUDGET.tasksPerInventory * (inventories + 1));
  },
  IDLE_SECONDS * 1000 + 60_000,
);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
