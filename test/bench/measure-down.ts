import { refOf } from '../../k8s/dialects/kind.ts';
import { MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import { until } from '../integration/until.ts';
import { tally } from './audit-log.ts';
import { countCalls, countThrottled } from './cloud-calls.ts';
import { countHistory, ofEach } from './history.ts';
import { followMachines } from './machine-times.ts';
import { startMeter } from './meter.ts';
import { mean, round } from './numbers.ts';
import { NAMESPACE, SET, type Bench } from './open-bench.ts';
import { nodeCpuMs, type ProcessUsage } from './process-usage.ts';
import { untilAtRest } from './until-at-rest.ts';

export interface DownMeasured {
  /** From the set's being scaled to nothing until the last Machine object is gone. */
  readonly seconds: number;
  readonly machinesPerSecond: number;
  /** Of this phase only. */
  readonly perMachine: {
    readonly historyEvents: number;
    readonly workflowTasks: number;
    readonly kubernetesWrites: number;
    readonly nodeCpuMs: number;
  };
  readonly writes: Readonly<Record<string, number>>;
  readonly calls: Readonly<Record<string, number>>;
  /** Of the calls, those that the cloud throttled. */
  readonly throttled: Readonly<Record<string, number>>;
  readonly processes: Readonly<Record<string, ProcessUsage>>;
}

/** Takes a MachineSet that is up, and at rest, back to nothing. */
export async function measureDown(bench: Bench): Promise<DownMeasured> {
  const { machines, stack, config, kube, temporal, patience } = bench;
  const atRest = await untilAtRest(bench);
  const ids = atRest.map((machine) => workflowIdOf(refOf(machine)));
  const histories = () => ofEach(ids, (id) => countHistory(temporal, id));
  const before = await histories();
  const times = await followMachines(config, NAMESPACE);
  const meter = startMeter(stack);
  await kube.mergePatch(MACHINE_SETS, NAMESPACE, SET, { spec: { replicas: 0 } });
  await until(
    'all are gone',
    async () => times.gone.size,
    (gone) => gone >= machines,
    patience,
  );
  const seconds = (Math.max(...times.gone.values()) - meter.startedAt) / 1000;
  times.stop();
  const { writes, calls, processes } = await meter.read();
  const after = await histories();
  return {
    seconds,
    machinesPerSecond: round(machines / seconds),
    perMachine: {
      historyEvents: round(mean(after.map(({ events }) => events)) - mean(before.map(({ events }) => events))),
      workflowTasks: round(mean(after.map(({ tasks }) => tasks)) - mean(before.map(({ tasks }) => tasks))),
      kubernetesWrites: round(writes.length / machines),
      nodeCpuMs: nodeCpuMs(processes, machines),
    },
    writes: tally(writes),
    calls: countCalls(calls),
    throttled: countThrottled(calls),
    processes,
  };
}
