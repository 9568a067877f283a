import type { temporal } from '@temporalio/proto';

export type Payload = temporal.api.common.v1.IPayload;
export type Failure = temporal.api.failure.v1.IFailure;

/** How often, and how long after each other, something is tried. Milliseconds. */
export interface RetryPolicy {
  readonly firstMs: number;
  readonly coefficient: number;
  readonly mostMs: number;
  /** 0: as often as it takes. */
  readonly attempts: number;
  readonly finalTypes: readonly string[];
}

/** What a local activity came to, as its marker says it. Times in milliseconds since the epoch. */
export interface LocalActivityMarker {
  readonly seq: number;
  readonly activityType: string;
  readonly attempt: number;
  readonly completeTime: number;
  readonly originalScheduleTime: number;
  /** The next attempt waits for a timer of the workflow, in milliseconds. */
  readonly backoffMs?: number;
  readonly result?: Payload;
  readonly failure?: Failure;
  readonly summary?: Payload;
}

/** What a workflow task asks of the server. */
export type Command =
  | { readonly type: 'startTimer'; readonly timerId: string; readonly ms: number; readonly summary?: Payload }
  | { readonly type: 'cancelTimer'; readonly timerId: string }
  | ({ readonly type: 'scheduleActivity' } & ScheduledActivity)
  | { readonly type: 'recordMarker'; readonly marker: LocalActivityMarker }
  | { readonly type: 'upsertAttributes'; readonly attributes: Readonly<Record<string, Payload>> }
  | { readonly type: 'complete'; readonly result?: Payload }
  | { readonly type: 'fail'; readonly failure: Failure }
  | { readonly type: 'continueAsNew'; readonly input: readonly Payload[] };

/** It ends the run. */
export function isClosing({ type }: Command): boolean {
  return type === 'complete' || type === 'fail' || type === 'continueAsNew';
}

/** Times in milliseconds; 0: no limit. */
export interface ScheduledActivity {
  readonly activityId: string;
  readonly activityType: string;
  readonly taskQueue: string;
  readonly input: readonly Payload[];
  readonly startToCloseMs: number;
  readonly heartbeatMs: number;
  /** Of each attempt: where no worker takes it within this time, there is no other. */
  readonly scheduleToStartMs: number;
  readonly retry: RetryPolicy;
  readonly summary?: Payload;
}

export type TimeoutType = 'startToClose' | 'scheduleToStart' | 'heartbeat' | 'scheduleToClose';

/** What an event tells, by its kind. Ids are those of other events of the same run. */
export type EventFacts =
  | {
      readonly type: 'started';
      readonly workflowType: string;
      readonly taskQueue: string;
      readonly input: readonly Payload[];
      readonly firstRunId: string;
      readonly continuedFrom?: string;
      readonly attributes: Readonly<Record<string, Payload>>;
    }
  | { readonly type: 'taskScheduled'; readonly attempt: number }
  | { readonly type: 'taskStarted'; readonly scheduledId: number; readonly suggestsContinueAsNew: boolean }
  | {
      readonly type: 'taskCompleted';
      readonly scheduledId: number;
      readonly startedId: number;
      readonly flags: readonly number[];
    }
  | {
      readonly type: 'taskTimedOut';
      readonly scheduledId: number;
      readonly startedId: number;
      readonly timeout: TimeoutType;
    }
  | {
      readonly type: 'taskFailed';
      readonly scheduledId: number;
      readonly startedId: number;
      readonly cause: 'unhandledCommand' | 'workerFailure' | 'forceClose';
      readonly failure?: Failure;
    }
  | { readonly type: 'markerRecorded'; readonly completedId: number; readonly marker: LocalActivityMarker }
  | {
      readonly type: 'timerStarted';
      readonly completedId: number;
      readonly timerId: string;
      readonly ms: number;
      readonly summary?: Payload;
    }
  | { readonly type: 'timerFired'; readonly timerId: string; readonly startedId: number }
  | {
      readonly type: 'timerCanceled';
      readonly completedId: number;
      readonly timerId: string;
      readonly startedId: number;
    }
  | { readonly type: 'activityScheduled'; readonly completedId: number; readonly activity: ScheduledActivity }
  | { readonly type: 'activityStarted'; readonly scheduledId: number; readonly attempt: number }
  // Each of these three follows its activityStarted at once, where a worker took the last attempt.
  | {
      readonly type: 'activityCompleted';
      readonly scheduledId: number;
      readonly result?: Payload;
    }
  | {
      readonly type: 'activityFailed';
      readonly scheduledId: number;
      readonly failure: Failure;
      readonly isFinal: boolean;
    }
  | {
      readonly type: 'activityTimedOut';
      readonly scheduledId: number;
      readonly timeout: TimeoutType;
      /** What the attempt before failed of. */
      readonly before?: Failure;
    }
  | { readonly type: 'signaled'; readonly signalName: string; readonly input: readonly Payload[] }
  | {
      readonly type: 'attributesUpserted';
      readonly completedId: number;
      readonly attributes: Readonly<Record<string, Payload>>;
    }
  | { readonly type: 'completed'; readonly completedId: number; readonly result?: Payload }
  | { readonly type: 'failed'; readonly completedId: number; readonly failure: Failure }
  | {
      readonly type: 'continuedAsNew';
      readonly completedId: number;
      readonly newRunId: string;
      readonly workflowType: string;
      readonly input: readonly Payload[];
    }
  | { readonly type: 'terminated' };

export type HistoryEvent = EventFacts & {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

/** Of this kind. */
export type EventOf<T extends EventFacts['type']> = Extract<HistoryEvent, { readonly type: T }>;

const COMMAND_EVENTS: ReadonlySet<HistoryEvent['type']> = new Set<HistoryEvent['type']>([
  'markerRecorded',
  'timerStarted',
  'timerCanceled',
  'activityScheduled',
  'attributesUpserted',
  'completed',
  'failed',
  'continuedAsNew',
]);

/** A workflow task asked for it. */
export function isCommandEvent({ type }: HistoryEvent): boolean {
  return COMMAND_EVENTS.has(type);
}
