import type { Client, WorkflowHandle } from '@temporalio/client';
import type { WorkflowBundleOption } from '@temporalio/worker';
import type { Activities } from '../simulation/core/run-activity.ts';
import type { WorldClock } from '../world/world-clock.ts';

/** What a worker does. */
export interface Work {
  readonly activities: Activities;
  /** What it runs workflows of. @default the product's */
  readonly workflowBundle?: WorkflowBundleOption;
  /** @default true */
  readonly runsWorkflows?: boolean;
  /** Whether it runs recorded activities. @default true */
  readonly takesActivities?: boolean;
  /** Whether it keeps workflows in memory between their tasks. @default true */
  readonly keepsWorkflows?: boolean;
}

/** A Temporal, in whatever time. */
export interface Engine {
  readonly client: Client;
  /** Of the worlds: it goes by this Temporal's time. */
  readonly clock: WorldClock;
  /** Milliseconds since the epoch. */
  now(): Promise<number>;
  /** Lets so many milliseconds go by. */
  pass(ms: number): Promise<void>;
  work(work: Work): Promise<{ stop(): Promise<void> }>;
  /** Until the workflow has neither a task nor an activity out, or for a while. */
  comeToRest(handle: WorkflowHandle): Promise<void>;
  stop(): Promise<void>;
}

export const TASK_QUEUE = 'millwright-test';
