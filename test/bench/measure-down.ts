import { tally } from './audit-log.ts';
import { countCalls, countThrottled } from './cloud-calls.ts';
import { round } from './numbers.ts';
import type { Bench } from './open-bench.ts';
import { nodeCpuMs, type ProcessUsage } from './process-usage.ts';
import { scaleToNothing } from './scale-to-nothing.ts';

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
  const { machines } = bench;
  const { seconds, historyEvents, workflowTasks, reading } = await scaleToNothing(bench);
  const { writes, calls, processes } = reading;
  return {
    seconds,
    machinesPerSecond: round(machines / seconds),
    perMachine: {
      historyEvents,
      workflowTasks,
      kubernetesWrites: round(writes.length / machines),
      nodeCpuMs: nodeCpuMs(processes, machines),
    },
    writes: tally(writes),
    calls: countCalls(calls),
    throttled: countThrottled(calls),
    processes,
  };
}
