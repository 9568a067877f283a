import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { MachineObject } from '../../k8s/api/machine.ts';
import { clusterUid } from '../../k8s/cluster.ts';
import { refOf } from '../../k8s/dialects/dialect.ts';
import { MACHINE_SETS } from '../../k8s/resources.ts';
import { inventoryWorkflowId, workflowIdOf } from '../../workflows/ids.ts';
import { isCounted, readWrites, tally } from './audit-log.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { countActivities, countHistory } from './history.ts';
import { NAMESPACE, SET, type Bench } from './open-bench.ts';
import { residentMb, usageSince, type ProcessUsage } from './process-usage.ts';
import { untilSettled } from './until-settled.ts';

/** From the last machine that is settled until the watch begins: the set's own last look. In milliseconds. */
const SETTLE_MS = 15_000;
const HISTORIES_AT_ONCE = 20;

export interface IdleMeasured {
  readonly machines: number;
  readonly minutes: number;
  readonly workflowTasksOfMachinesAndSets: number;
  readonly inventories: number;
  readonly workflowTasksOfInventory: number;
  readonly writes: Readonly<Record<string, number>>;
  /** CPU of the whole time; the peak is since the process started. */
  readonly processes: Readonly<Record<string, ProcessUsage & { readonly rssMb: number }>>;
}

/** Leaves a MachineSet alone that is up, and counts what is done meanwhile. */
export async function measureIdle(bench: Bench, minutes: number): Promise<IdleMeasured> {
  const { machines, stack, kube, temporal } = bench;
  const settled = await untilSettled(bench);
  await delay(SETTLE_MS);
  const set = await kube.get<MachineObject>(MACHINE_SETS, NAMESPACE, SET);
  const ids = [set, ...settled].map((object) => workflowIdOf(refOf(object)));
  const inventory = inventoryWorkflowId(await clusterUid(kube));
  const limit = pLimit(HISTORIES_AT_ONCE);
  const look = async () => {
    const counts = await Promise.all(ids.map((id) => limit(() => countHistory(temporal, id))));
    return {
      tasks: counts.reduce((sum, { tasks }) => sum + tasks, 0),
      inventoryTasks: (await countHistory(temporal, inventory)).tasks,
      inventories: await countActivities(temporal, inventory),
    };
  };
  const before = await look();
  const cpuBefore = cpuSeconds(stack.processes);
  const idleSince = Date.now();
  console.log(`watching them for ${minutes} min`);
  await delay(minutes * 60_000);
  const used = usageSince(stack.processes, cpuBefore);
  const writes = (await readWrites(stack.files.auditLog, idleSince)).filter(isCounted);
  const resident = residentMb(stack.processes);
  const after = await look();
  return {
    machines,
    minutes,
    workflowTasksOfMachinesAndSets: after.tasks - before.tasks,
    inventories: after.inventories - before.inventories,
    workflowTasksOfInventory: after.inventoryTasks - before.inventoryTasks,
    writes: tally(writes),
    processes: Object.fromEntries(
      Object.entries(used).map(([name, usage]) => [name, { ...usage, rssMb: resident[name] ?? 0 }]),
    ),
  };
}
