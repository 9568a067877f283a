import { setTimeout as delay } from 'node:timers/promises';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { readClusterUid } from '../../k8s/cluster.ts';
import { refOf } from '../../k8s/dialects/kind.ts';
import { MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import { inventoryWorkflowId, workflowIdOf } from '../../workflows/ids.ts';
import { tally } from './audit-log.ts';
import { countActivities, countHistory, ofEach } from './history.ts';
import { startMeter } from './meter.ts';
import { NAMESPACE, SET, type Bench } from './open-bench.ts';
import { residentMb, type ProcessUsage } from './process-usage.ts';
import { untilAtRest } from './until-at-rest.ts';

/** From the last machine that is at rest until the watch begins: the set's own last look. In milliseconds. */
const REST_MS = 15_000;

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
  const atRest = await untilAtRest(bench);
  await delay(REST_MS);
  const set = await kube.get<MachineObject>(MACHINE_SETS, NAMESPACE, SET);
  const ids = [set, ...atRest].map((object) => workflowIdOf(refOf(object)));
  const inventory = inventoryWorkflowId(await readClusterUid(kube));
  const look = async () => {
    const counts = await ofEach(ids, (id) => countHistory(temporal, id));
    return {
      tasks: counts.reduce((sum, { tasks }) => sum + tasks, 0),
      inventoryTasks: (await countHistory(temporal, inventory)).tasks,
      inventories: await countActivities(temporal, inventory),
    };
  };
  const before = await look();
  const meter = startMeter(stack);
  console.log(`watching them for ${minutes} min`);
  await delay(minutes * 60_000);
  const { writes, processes } = await meter.read();
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
      Object.entries(processes).map(([name, usage]) => [name, { ...usage, rssMb: resident[name] ?? 0 }]),
    ),
  };
}
