import proto from '@temporalio/proto';
import Long from 'long';
import type { EventOf, Failure, HistoryEvent, LocalActivityMarker } from '../temporal/history-event.ts';
import { seedOf, timestampOf, type Job } from './workflow-runtime.ts';

/** What an event has a workflow do; undefined: nothing. */
export function jobOf(
  event: HistoryEvent,
  history: readonly HistoryEvent[],
  runId: string,
  workflowId: string,
): Job | undefined {
  switch (event.type) {
    case 'started':
      return startOf(event, runId, workflowId);
    case 'signaled':
      return { signalWorkflow: { signalName: event.signalName, input: [...event.input], identity: '', headers: {} } };
    case 'timerFired':
      return { fireTimer: { seq: Number(event.timerId) } };
    case 'activityCompleted': {
      const { result } = event;
      return resolved(history, event.scheduledId, { completed: result === undefined ? {} : { result } });
    }
    case 'activityFailed':
      return resolved(history, event.scheduledId, {
        failed: { failure: activityFailure(history, event.scheduledId, event.failure) },
      });
    case 'activityTimedOut': {
      const cause: Failure = {
        message: 'activity timeout',
        timeoutFailureInfo: { timeoutType: TIMEOUTS[event.timeout] },
      };
      return resolved(history, event.scheduledId, {
        failed: { failure: activityFailure(history, event.scheduledId, cause) },
      });
    }
    default:
      return undefined;
  }
}

/** The end of a local activity. */
export function localResolutionOf({
  seq,
  backoffMs,
  attempt,
  result,
  failure,
  originalScheduleTime,
}: LocalActivityMarker): Job {
  if (backoffMs !== undefined) {
    return {
      resolveActivity: {
        seq,
        isLocal: true,
        result: {
          backoff: {
            attempt: attempt + 1,
            backoffDuration: timestampOf(backoffMs),
            originalScheduleTime: timestampOf(originalScheduleTime),
          },
        },
      },
    };
  }
  const outcome =
    failure === undefined ? { completed: result === undefined ? {} : { result } } : { failed: { failure } };
  return { resolveActivity: { seq, isLocal: true, result: outcome } };
}

/** Signals come first, ends of local activities last: as the SDK's core sorts them. */
export function sorted(jobs: readonly Job[]): Job[] {
  return [...jobs].sort((a, b) => orderOf(a) - orderOf(b));
}

function orderOf(job: Job): number {
  if (job.initializeWorkflow) return 0;
  if (job.signalWorkflow) return 3;
  return job.resolveActivity?.isLocal === true ? 5 : 4;
}

const { TimeoutType, RetryState } = proto.temporal.api.enums.v1;
const TIMEOUTS = {
  startToClose: TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE,
  scheduleToStart: TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START,
  scheduleToClose: TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE,
  heartbeat: TimeoutType.TIMEOUT_TYPE_HEARTBEAT,
} as const;

type Resolution = NonNullable<NonNullable<Job['resolveActivity']>['result']>;

function resolved(history: readonly HistoryEvent[], scheduledId: number, result: Resolution): Job {
  return { resolveActivity: { seq: Number(scheduledAt(history, scheduledId).activityId), isLocal: false, result } };
}

function activityFailure(history: readonly HistoryEvent[], scheduledId: number, cause: Failure): Failure {
  const { activityId, activityType } = scheduledAt(history, scheduledId);
  return {
    message: 'Activity task failed',
    cause,
    activityFailureInfo: {
      scheduledEventId: Long.fromNumber(scheduledId),
      startedEventId: Long.fromNumber(0),
      identity: '',
      activityType: { name: activityType },
      activityId,
      retryState: RetryState.RETRY_STATE_UNSPECIFIED,
    },
  };
}

function scheduledAt(history: readonly HistoryEvent[], scheduledId: number): EventOf<'activityScheduled'>['activity'] {
  const event = history[scheduledId - 1];
  if (event?.type !== 'activityScheduled') throw new Error(`event ${scheduledId} schedules no activity`);
  return event.activity;
}

function startOf(event: EventOf<'started'>, runId: string, workflowId: string): Job {
  const { workflowType, input, firstRunId, continuedFrom, attributes, at } = event;
  return {
    initializeWorkflow: {
      workflowType,
      workflowId,
      arguments: [...input],
      randomnessSeed: seedOf(runId),
      headers: {},
      identity: '',
      firstExecutionRunId: firstRunId,
      originalExecutionRunId: runId,
      attempt: 1,
      startTime: timestampOf(at),
      workflowTaskTimeout: timestampOf(10_000),
      searchAttributes: { indexedFields: { ...attributes } },
      ...(continuedFrom === undefined ? {} : { continuedFromExecutionRunId: continuedFrom }),
    },
  };
}
