import { join } from 'node:path';
import pLimit from 'p-limit';
import { runCommand } from '../../devstack/servers/run-command.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { NODES } from '../../k8s/resources.ts';
import { until } from '../integration/until.ts';
import { countSent, tally } from './audit-log.ts';
import { createPodNamespace, followPods, runPods } from './bench-pods.ts';
import { round } from './numbers.ts';
import type { Bench } from './open-bench.ts';
import { nodeCpuMs, type ProcessUsage } from './process-usage.ts';
import { scaleToNothing } from './scale-to-nothing.ts';
import { untilAtRest } from './until-at-rest.ts';

/** How many `kubectl drain` run side by side. */
const DRAINS_AT_ONCE = 50;

export interface DeleteMeasured {
  readonly pods: number;
  /** From the set's being scaled to nothing until the last pod is gone, and the last Machine. */
  readonly drainedSeconds: number;
  readonly seconds: number;
  readonly machinesDrainedPerSecond: number;
  /** Until the last pod is gone, where `kubectl drain` runs for each Node, all at once. */
  readonly byHandSeconds: number;
  /** Ours against that. */
  readonly ratio: number;
  /** That were sent, whatever the answer. */
  readonly evictionsPerPod: number;
  readonly perMachine: { readonly historyEvents: number; readonly workflowTasks: number; readonly nodeCpuMs: number };
  readonly writes: Readonly<Record<string, number>>;
  readonly processes: Readonly<Record<string, ProcessUsage>>;
}

/** Drains and deletes machines that are up, with so many pods each; and the same Nodes with kubectl before. */
export async function measureDelete(bench: Bench, podsEach: number): Promise<DeleteMeasured> {
  const { machines: count, stack } = bench;
  await createPodNamespace(bench);
  const machines = await untilAtRest(bench);
  const byHandSeconds = await drainByHand(bench, machines, podsEach);
  await runPods(bench, machines, podsEach);
  const pods = await followPods(bench);
  const { startedAt, seconds, historyEvents, workflowTasks, reading } = await scaleToNothing(bench);
  const drainedSeconds = (Math.max(...pods.gone.values()) - startedAt) / 1000;
  pods.stop();
  const { writes, processes } = reading;
  const sent = await countSent(stack.files.auditLog, startedAt, 'create', 'pods/eviction');
  return {
    pods: pods.gone.size,
    drainedSeconds,
    seconds,
    machinesDrainedPerSecond: round(count / drainedSeconds),
    byHandSeconds,
    ratio: round(drainedSeconds / byHandSeconds),
    evictionsPerPod: round(sent / Math.max(1, pods.gone.size)),
    perMachine: {
      historyEvents,
      workflowTasks,
      nodeCpuMs: nodeCpuMs(processes, count),
    },
    writes: tally(writes),
    processes,
  };
}

/** Until the last pod is gone, in seconds. Afterwards the Nodes take pods again. */
async function drainByHand(bench: Bench, machines: readonly MachineObject[], podsEach: number): Promise<number> {
  const { stack, kube } = bench;
  await runPods(bench, machines, podsEach);
  const pods = await followPods(bench);
  const kubectl = join(stack.files.bin, 'kubectl');
  const env = { ...process.env, KUBECONFIG: stack.kubeconfig };
  const limit = pLimit(DRAINS_AT_ONCE);
  const nodes = machines.map(({ status }) => status?.nodeRef?.name ?? '');
  const startedAt = Date.now();
  const drains = nodes.map((node) =>
    limit(async () => {
      const args = ['drain', node, '--force', '--ignore-daemonsets', '--delete-emptydir-data'];
      const { code, output } = await runCommand(kubectl, args, { env });
      if (code !== 0) throw new Error(`kubectl drain ${node} failed with exit code ${code}: ${output}`);
    }),
  );
  await Promise.all(drains);
  await until(
    'all pods are gone',
    async () => pods.gone.size,
    (gone) => gone >= machines.length * podsEach,
    bench.patience,
  );
  const seconds = (Math.max(...pods.gone.values()) - startedAt) / 1000;
  pods.stop();
  await Promise.all(nodes.map((node) => kube.mergePatch(NODES, undefined, node, { spec: { unschedulable: null } })));
  return seconds;
}
