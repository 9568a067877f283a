import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import {
  defaultFailureConverter,
  defaultPayloadConverter,
  ensureApplicationFailure,
  noopMetricMeter,
  CancelledFailure,
} from '@temporalio/common';
import type { Client } from '@temporalio/client';
import type { Payload } from '../temporal/history-event.ts';
import type { ActivityOutcome } from '../temporal/tasks.ts';
import { NAMESPACE } from './workflow-runtime.ts';
import { given } from '../../../providers/given.ts';

/** The functions of a worker, by name. */
export type Activities = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

export interface ActivityCall {
  readonly activities: Activities;
  readonly activityType: string;
  readonly activityId: string;
  readonly input: readonly Payload[];
  readonly isLocal: boolean;
  readonly attempt: number;
  readonly workflowId: string;
  readonly runId: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  /** Milliseconds since the epoch. */
  readonly scheduledAt: number;
  readonly startToCloseMs: number;
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
  readonly heartbeat: () => void;
  /** The same, for who waits for the answer: fails where the server does not wait for the activity any more. A local activity has none. */
  readonly askServer?: () => Promise<void>;
}

const QUIET = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Runs an activity as a worker of the SDK does: in a context of its own, on what it was sent and not on what was meant. */
export function runActivity(call: ActivityCall): Promise<ActivityOutcome> {
  const { activities, activityType, input, signal, heartbeat, askServer } = call;
  const cancelled = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new CancelledFailure('TIMED_OUT')), { once: true });
  });
  cancelled.catch(() => {});
  const client = { activity: { heartbeat: askServer } } as unknown as Client;
  const context = new Context(infoOf(call), cancelled, signal, heartbeat, client, QUIET, noopMetricMeter, {});
  return asyncLocalStorage.run(context, async () => {
    try {
      const activity = activities[activityType];
      if (activity === undefined) throw new Error(`there is no activity ${activityType}`);
      const args = input.map((payload) => defaultPayloadConverter.fromPayload<never>(payload));
      return { result: defaultPayloadConverter.toPayload(await activity(...args)) };
    } catch (error) {
      const failure = defaultFailureConverter.errorToFailure(ensureApplicationFailure(error), defaultPayloadConverter);
      return { failure };
    }
  });
}

/** Of the workflow that this is done for; undefined: it is not done in an activity. */
export function workflowTypeNow(): string | undefined {
  return asyncLocalStorage.getStore()?.info.workflowType;
}

function infoOf(call: ActivityCall): Info {
  const { activityType, activityId, workflowId, runId, workflowType, scheduledAt, attempt, heartbeatMs } = call;
  return {
    taskToken: new Uint8Array(),
    base64TaskToken: '',
    activityId,
    activityType,
    activityNamespace: NAMESPACE,
    workflowNamespace: NAMESPACE,
    namespace: NAMESPACE,
    attempt,
    isLocal: call.isLocal,
    inWorkflow: true,
    workflowExecution: { workflowId, runId },
    workflowType,
    taskQueue: call.taskQueue,
    scheduledTimestampMs: scheduledAt,
    currentAttemptScheduledTimestampMs: scheduledAt,
    startToCloseTimeoutMs: call.startToCloseMs,
    scheduleToCloseTimeoutMs: 0,
    ...given({ heartbeatTimeoutMs: heartbeatMs || undefined }),
    heartbeatDetails: undefined,
    priority: {},
  };
}
