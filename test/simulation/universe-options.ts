import type { Weather } from './adversary/disturbances.ts';
import type { Assumptions } from './assumptions.ts';
import type { CloudKind } from './cluster/cloud-kinds.ts';
import type { WorkloadsRun } from './cluster/workload-kinds.ts';
import type { Failure } from './temporal/history-event.ts';
import type { WorkflowTask } from './temporal/tasks.ts';

/** What a universe is like. */
export interface UniverseOptions {
  readonly seed: string;
  readonly weather: Weather;
  readonly assumptions: Assumptions;
  readonly cloud: CloudKind;
  readonly workers: number;
  readonly watchers: number;
  /** Events of a history after which a workflow continues as new. */
  readonly longHistory: number;
  /** The cloud's credentials are in a Secret. */
  readonly hasCredentials: boolean;
  /** Pods run on the Nodes. @default none do */
  readonly workloads?: WorkloadsRun;
  readonly allows: (disturbance: number) => boolean;
  readonly onBroken: (task: WorkflowTask, failure: Failure) => void;
}
