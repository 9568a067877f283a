import type { Command, Failure, HistoryEvent, Payload, ScheduledActivity } from './history-event.ts';

export interface Signal {
  readonly signalName: string;
  readonly input: readonly Payload[];
}

/** A workflow task as a worker gets it. */
export interface WorkflowTask {
  readonly workflowId: string;
  readonly runId: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  /** What the answer has to name. */
  readonly token: number;
  /** The whole history, with the event that started this task as the last one. */
  readonly history: readonly HistoryEvent[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly suggestsContinueAsNew: boolean;
}

export interface WorkflowTaskAnswer {
  readonly commands: readonly Command[];
  /** Another task follows at once: local activities are still under way. */
  readonly forceNew: boolean;
  /** The SDK's own, of this task. */
  readonly flags: readonly number[];
}

/** An attempt of an activity as a worker gets it. */
export interface ActivityTask {
  readonly workflowId: string;
  readonly runId: string;
  readonly workflowType: string;
  readonly token: string;
  readonly attempt: number;
  readonly activity: ScheduledActivity;
  readonly scheduledAt: number;
}

export type ActivityOutcome = { readonly result: Payload | undefined } | { readonly failure: Failure };

/** Whoever polls for tasks. */
export interface TaskTaker {
  readonly name: string;
  takeWorkflowTask(task: WorkflowTask): void;
  takeActivityTask(task: ActivityTask): void;
}

/** What was asked about is not there, or not any more. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}
