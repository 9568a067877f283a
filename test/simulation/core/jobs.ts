import proto from '@temporalio/proto';
import Long from 'long';
import type { EventOf, Failure, HistoryEvent, LocalActivityMarker, TimeoutType } from '../temporal/history-event.ts';
import { seedOf, timestampOf, type Job } from './workflow-runtime.ts';
import { given } from '../../../providers/given.ts';

const { TimeoutType: RealTimeout, RetryState } = proto.temporal.api.enums.v1;

export const TIMEOUTS = {
  startToClose: RealTimeout.TIMEOUT_TYPE_START_TO_CLOSE,
  scheduleToStart: RealTimeout.TIMEOUT_TYPE_SCHEDULE_TO_START,
  scheduleToClose: RealTimeout.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE,
  heartbeat: RealTimeout.TIMEOUT_TYPE_HEARTBEAT,
} as const;

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
      return resolved(history, event.scheduledId, { completed: given({ result }) });
    }
    case 'activityFailed':
    case 'activityTimedOut':
      return resolved(history, event.scheduledId, { failed: { failure: activityFailure(history, event) } });
    default:
      return undefined;
  }
}

/** The end of a local activity, as a marker tells it. */
export function localResolutionOf(marker: LocalActivityMarker): Job {
  const { seq, backoffMs, attempt, result, failure, originalScheduleTime } = marker;
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
  const outcome = failure === undefined ? { completed: given({ result }) } : { failed: { failure } };
  return { resolveActivity: { seq, isLocal: true, result: outcome } };
}

/**
 * What a workflow hears when it happens: a time-out is an activity's failure then, and no more in a replay. So it is with the
 * SDK's core.
 */
export function asItHappens(marker: LocalActivityMarker): LocalActivityMarker {
  const { seq, activityType, failure: cause } = marker;
  if (cause?.timeoutFailureInfo == null) return marker;
  const activityFailureInfo = {
    activityType: { name: activityType },
    activityId: String(seq),
    retryState: RetryState.RETRY_STATE_CANCEL_REQUESTED,
  };
  return { ...marker, failure: { message: 'Local Activity timed out', cause, activityFailureInfo } };
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

/** Why an activity is not tried again. */
export function retryStateOf(event: EventOf<'activityFailed'> | EventOf<'activityTimedOut'>) {
  if (event.type === 'activityFailed' && event.isFinal) return RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE;
  const isNeverStarted = event.type === 'activityTimedOut' && event.timeout === 'scheduleToStart';
  return isNeverStarted ? RetryState.RETRY_STATE_TIMEOUT : RetryState.RETRY_STATE_MAXIMUM_ATTEMPTS_REACHED;
}

/** As the server says it: with what the attempt before failed of as its cause. */
export function timeoutFailure(timeout: TimeoutType, before?: Failure): Failure {
  const name = `${timeout.charAt(0).toUpperCase()}${timeout.slice(1)}`;
  const timeoutFailureInfo = { timeoutType: TIMEOUTS[timeout] };
  return { message: `activity ${name} timeout`, timeoutFailureInfo, ...given({ cause: before }) };
}

type Resolution = NonNullable<NonNullable<Job['resolveActivity']>['result']>;

function resolved(history: readonly HistoryEvent[], scheduledId: number, result: Resolution): Job {
  return { resolveActivity: { seq: Number(scheduledAt(history, scheduledId).activityId), isLocal: false, result } };
}

function activityFailure(
  history: readonly HistoryEvent[],
  event: EventOf<'activityFailed'> | EventOf<'activityTimedOut'>,
): Failure {
  const { scheduledId } = event;
  const { activityId, activityType } = scheduledAt(history, scheduledId);
  const isOver = event.type === 'activityTimedOut';
  return {
    message: `Activity task ${isOver ? 'timed out' : 'failed'}`,
    cause: isOver ? timeoutFailure(event.timeout, event.before) : event.failure,
    activityFailureInfo: {
      scheduledEventId: Long.fromNumber(scheduledId),
      startedEventId: Long.fromNumber(0),
      identity: '',
      activityType: { name: activityType },
      activityId,
      retryState: retryStateOf(event),
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
      ...given({ continuedFromExecutionRunId: continuedFrom }),
    },
  };
}
