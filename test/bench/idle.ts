/**
 * What machines cost while nothing happens to them: brings up an embedded stack of its own, lets a MachineSet come up,
 * leaves it alone, and counts what was done meanwhile. Ends with 1 where it was too much.
 *
 *   node test/bench/idle.ts [--machines 200] [--minutes 10] [--json FILE]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { startStack, type Stack } from '../../devstack/stack.ts';
import { terminalProgress } from '../../devstack/terminal-progress.ts';
import type { MachineObject } from '../../k8s/api/machine.ts';
import { createKubeClient } from '../../k8s/client.ts';
import { clusterUid } from '../../k8s/cluster.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import { MACHINE_SETS, MACHINES } from '../../k8s/resources.ts';
import { inventoryWorkflowId, workflowIdOf } from '../../workflows/ids.ts';
import { until } from '../integration/until.ts';
import { machineSetManifest } from '../integration/lifecycle/manifests.ts';
import { isCounted, readWrites, tally } from './audit-log.ts';
import { countActivities, countTasks } from './history.ts';
import { cpuSeconds } from './cpu-seconds.ts';

const NAMESPACE = 'default';
const SET = 'idle';
/** Kubelets beat every third of it. Longer than by default, so that what is measured is not the beats of hundreds of them. */
const NODE_GRACE_SECONDS = 60;
/** From the last machine that is settled until the watch begins: the set's own last look. In milliseconds. */
const SETTLE_MS = 15_000;

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '10' },
    json: { type: 'string' },
  },
});
const [machines, minutes] = [Number(values.machines), Number(values.minutes)];
const stateDir = await mkdtemp(join(tmpdir(), 'millwright-bench-'));
const stack = await startStack({
  stateDir,
  fresh: true,
  withScheduler: false,
  nodeGraceSeconds: NODE_GRACE_SECONDS,
  progress: terminalProgress(),
});
const interrupted = () => void stack.stop().then(() => process.exit(130));
process.once('SIGINT', interrupted);
process.once('SIGTERM', interrupted);
let held = false;
try {
  const measured = await measure(stack);
  console.log(JSON.stringify(measured, null, 2));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(measured, null, 2)}\n`);
  held = measured.tasksOfMachinesAndSets === 0 && measured.tasksOfInventory <= 2 * (measured.inventories + 1);
} finally {
  await stack.stop();
  await rm(stateDir, { recursive: true, force: true });
}
console.log(held ? 'idle machines cost nothing' : 'idle machines were not idle');
process.exit(held ? 0 : 1);

async function measure({ kubeconfig, temporal, files, processes }: Stack) {
  const kube = createKubeClient(loadKubeConfig({ kubeconfig }));
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const startedAt = Date.now();
  await kube.create(MACHINE_SETS, NAMESPACE, machineSetManifest(NAMESPACE, SET, { replicas: machines }));
  const list = async () => (await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE })).items;
  const bringUp = { timeoutMs: 60_000 + machines * 2_000, everyMs: 1_000 };
  await until(`${machines} run`, list, (seen) => seen.filter(isRunning).length === machines, bringUp);
  const upSeconds = (Date.now() - startedAt) / 1000;
  console.log(`${machines} machines run after ${upSeconds.toFixed(1)} s`);
  const settled = await until('they are settled', list, (seen) => seen.every(isSettled), bringUp);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

  const set = await kube.get<MachineObject>(MACHINE_SETS, NAMESPACE, SET);
  const ids = [set, ...settled].map(idOf);
  const inventory = inventoryWorkflowId(await clusterUid(kube));
  const look = async () => ({
    tasks: sum(await inTurn(ids, (id) => countTasks(client, id))),
    inventoryTasks: await countTasks(client, inventory),
    inventories: await countActivities(client, inventory),
    cpu: cpuSeconds(processes),
  });
  const before = await look();
  const idleSince = Date.now();
  console.log(`watching them for ${minutes} min`);
  await new Promise((resolve) => setTimeout(resolve, minutes * 60_000));
  const writes = (await readWrites(files.auditLog, idleSince)).filter(isCounted);
  const cpuAfter = cpuSeconds(processes);
  const after = await look();
  await connection.close();
  return {
    machines,
    upSeconds,
    minutes,
    tasksOfMachinesAndSets: after.tasks - before.tasks,
    inventories: after.inventories - before.inventories,
    tasksOfInventory: after.inventoryTasks - before.inventoryTasks,
    writes: tally(writes),
    cpuSecondsPerMinute: Object.fromEntries(
      Object.entries(cpuAfter).map(([name, seconds]) => [
        name,
        Math.round(((seconds - (before.cpu[name] ?? 0)) / minutes) * 100) / 100,
      ]),
    ),
  };
}

function isRunning({ status }: MachineObject): boolean {
  return status?.phase === 'Running';
}

/** Its Node is Ready, and what the cloud says of its instance was read since. */
function isSettled({ status }: MachineObject): boolean {
  const ready = status?.conditions?.some(({ type, status: value }) => type === 'NodeReady' && value === 'True');
  return ready === true && status?.providerStatus?.instanceState === 'running';
}

function idOf({
  apiVersion,
  kind,
  metadata: { namespace, name, uid },
}: Pick<MachineObject, 'metadata'> & { readonly apiVersion: string; readonly kind: string }): string {
  return workflowIdOf({ apiVersion, kind, namespace, name, uid });
}

async function inTurn<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await act(item));
  return results;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
