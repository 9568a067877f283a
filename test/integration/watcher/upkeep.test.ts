import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { readClusterUid } from '../../../k8s/cluster.ts';
import { refOf } from '../../../k8s/dialects/kind.ts';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { systemClock } from '../../../providers/clock.ts';
import { runWatcher, type RunningWatcher } from '../../../starters/watcher/watcher.ts';
import type { WatcherOptions } from '../../../starters/watcher/watcher-options.ts';
import { inventoryWorkflowId, workflowIdOf } from '../../../workflows/ids.ts';
import { machineManifest, machineSetManifest } from '../lifecycle/manifests.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { releaseInventory, type ReleasedInventory } from '../scale/released-inventory.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const name = 'upkeep';
const stack = getStack();
const PATIENCE = { timeoutMs: 30_000, everyMs: 100 };
let connection: Connection;
let client: Client;
/** Undefined: it is held again. */
let inventory: ReleasedInventory | undefined;
let inventoryId: string;
let worker: MillwrightProcess;
let watcher: RunningWatcher;

beforeAll(async () => {
  connection = await Connection.connect({ address: stack.temporal.address });
  client = new Client({ connection, namespace: stack.temporal.namespace });
  await stack.kube.create(NAMESPACES, undefined, { metadata: { name } });
  inventoryId = inventoryWorkflowId(await readClusterUid(stack.kube));
  inventory = await releaseInventory();
  worker = await startMillwright('worker', { args: ['--task-queue', name, '--inventory-interval', '1'] });
  watcher = await startWatcher({ inventoryCheckMs: 500 });
  await worker.ready;
}, 60_000);

afterAll(async () => {
  for (const kind of [MACHINE_SETS, MACHINES]) {
    const { items } = await stack.kube.list<MachineObject>(kind, { namespace: name });
    for (const { metadata } of items) await stack.kube.delete(kind, name, metadata.name);
  }
  await until('no Machine is left', machinesThere, (count) => count === 0, { timeoutMs: 60_000 });
  await watcher.stop();
  await holdInventory();
  await worker.end();
  await connection.close();
}, 120_000);

async function holdInventory(): Promise<void> {
  await inventory?.hold();
  inventory = undefined;
}

async function machinesThere(): Promise<number> {
  return (await stack.kube.list(MACHINES, { namespace: name })).items.length;
}

function startWatcher(options: Partial<WatcherOptions>): Promise<RunningWatcher> {
  const { address, namespace } = stack.temporal;
  return runWatcher(
    {
      kubeconfig: stack.watcherKubeconfig,
      temporal: { address, namespace, access: {} },
      namespace: name,
      taskQueue: name,
      logLevel: 'silent',
      ...options,
    },
    systemClock,
  );
}

/** The newest run: its id where it runs. */
async function runOf(workflowId: string): Promise<string | undefined> {
  try {
    const { status, runId } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' ? runId : undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

async function untilRuns(workflowId: string): Promise<string> {
  const runId = await until(
    `${workflowId} runs`,
    () => runOf(workflowId),
    (id) => id !== undefined,
    PATIENCE,
  );
  return runId ?? '';
}

async function untilRunning(machine: string): Promise<string> {
  const seen = await until(
    `${machine} is Running`,
    () => stack.kube.get<MachineObject>(MACHINES, name, machine),
    ({ status }) => status?.phase === 'Running' && status.providerStatus?.instanceState === 'running',
    { timeoutMs: 60_000 },
  );
  return workflowIdOf(refOf(seen));
}

async function eventsOf(workflowId: string): Promise<number> {
  return (await client.workflow.getHandle(workflowId).fetchHistory()).events?.length ?? 0;
}

test('the workflow of a quiet Machine or set that was terminated or cancelled is started again, and no other is woken', async () => {
  await stack.kube.create(MACHINES, name, machineManifest(name, 'ended'));
  await stack.kube.create(MACHINES, name, machineManifest(name, 'left-alone'));
  const set = await stack.kube.create<MachineSetObject>(
    MACHINE_SETS,
    name,
    machineSetManifest(name, 'none', { replicas: 0 }),
  );
  const ids = [await untilRunning('ended'), workflowIdOf(refOf(set))];
  const other = await untilRunning('left-alone');
  await Promise.all(ids.map(untilRuns));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const quiet = await eventsOf(other);
  for (const end of ['terminate', 'cancel'] as const) {
    for (const id of ids) {
      const before = await untilRuns(id);
      await client.workflow.getHandle(id)[end]();
      const again = await until(
        `${id} runs again`,
        () => runOf(id),
        (run) => run !== undefined && run !== before,
        PATIENCE,
      );
      expect(again).not.toBe(before);
      const { taskQueue, searchAttributes } = await client.workflow.getHandle(id).describe();
      expect([taskQueue, searchAttributes['ObjectNamespace']]).toEqual([name, [name]]);
    }
  }
  expect(await eventsOf(other)).toBe(quiet);
  // It goes on where it was: nothing is launched again.
  const machine = await stack.kube.get<MachineObject>(MACHINES, name, 'ended');
  expect([machine.status?.phase, machine.status?.providerStatus?.launch?.attempt]).toEqual(['Running', 1]);
}, 120_000);

test('an inventory that was ended is started again by the watcher', async () => {
  const before = await untilRuns(inventoryId);
  await client.workflow.getHandle(inventoryId).terminate('by a test');
  expect(await untilRuns(inventoryId)).not.toBe(before);
}, 60_000);

test('what Temporal forgot, without an inventory, is found by the slow sweep', async () => {
  const id = await untilRunning('left-alone');
  await holdInventory();
  await watcher.stop();
  watcher = await startWatcher({ slowSweepSeconds: 1 });
  // The signals to all with which a watcher begins.
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const before = await untilRuns(id);
  const { workflowService } = connection;
  const { namespace } = stack.temporal;
  await workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: id } });
  await until(
    'it is forgotten, and started again',
    () => runOf(id),
    (run) => run !== undefined && run !== before,
    PATIENCE,
  );
}, 90_000);
