import proto, { type temporal } from '@temporalio/proto';
import Long from 'long';
import { retryStateOf, timeoutFailure, TIMEOUTS } from './core/jobs.ts';
import { timestampOf } from './core/workflow-runtime.ts';
import { realMarker } from './real-marker.ts';
import type { HistoryEvent, Payload, RetryPolicy } from './temporal/history-event.ts';
import { given } from '../../providers/given.ts';

type RealEvent = temporal.api.history.v1.IHistoryEvent;

const { History } = proto.temporal.api.history.v1;
const { EventType, WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;
const CAUSES = {
  unhandledCommand: WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  workerFailure: WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE,
  forceClose: WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
} as const;
/** Flags of the SDK's core that are set in histories of today's. */
const CORE_FLAGS = [1, 2, 3];

/** A history as Temporal's server answers it: what the SDK's real core replays. */
export function realHistory(
  history: readonly HistoryEvent[],
  { runId, workflowId }: { readonly runId: string; readonly workflowId: string },
): temporal.api.history.v1.History {
  const events = history.map((event) => ({
    eventId: Long.fromNumber(event.id),
    eventTime: timestampOf(event.at),
    ...attributesOf(event, runId, workflowId),
  }));
  return History.create({ events });
}

export function encodeHistory(history: temporal.api.history.v1.History): Uint8Array {
  return History.encode(history).finish();
}

function attributesOf(event: HistoryEvent, runId: string, workflowId: string): RealEvent {
  switch (event.type) {
    case 'started':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
        workflowExecutionStartedEventAttributes: {
          workflowId,
          workflowType: { name: event.workflowType },
          taskQueue: { name: event.taskQueue },
          input: { payloads: [...event.input] },
          workflowTaskTimeout: timestampOf(10_000),
          originalExecutionRunId: runId,
          firstExecutionRunId: event.firstRunId,
          ...given({ continuedExecutionRunId: event.continuedFrom }),
          attempt: 1,
          searchAttributes: { indexedFields: { ...event.attributes } },
          header: {},
        },
      };
    case 'taskScheduled':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
        workflowTaskScheduledEventAttributes: { startToCloseTimeout: timestampOf(10_000), attempt: event.attempt },
      };
    case 'taskStarted':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED,
        workflowTaskStartedEventAttributes: {
          scheduledEventId: Long.fromNumber(event.scheduledId),
          suggestContinueAsNew: event.suggestsContinueAsNew,
          historySizeBytes: Long.fromNumber(0),
        },
      };
    case 'taskCompleted':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
        workflowTaskCompletedEventAttributes: {
          scheduledEventId: Long.fromNumber(event.scheduledId),
          startedEventId: Long.fromNumber(event.startedId),
          sdkMetadata: { langUsedFlags: [...event.flags], coreUsedFlags: CORE_FLAGS },
        },
      };
    case 'taskTimedOut':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
        workflowTaskTimedOutEventAttributes: {
          scheduledEventId: Long.fromNumber(event.scheduledId),
          startedEventId: Long.fromNumber(event.startedId),
          timeoutType: TIMEOUTS[event.timeout],
        },
      };
    case 'taskFailed':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED,
        workflowTaskFailedEventAttributes: {
          scheduledEventId: Long.fromNumber(event.scheduledId),
          startedEventId: Long.fromNumber(event.startedId),
          cause: CAUSES[event.cause],
        },
      };
    case 'markerRecorded':
      return { ...realMarker(event.marker, event.completedId), ...summaryOf(event.marker.summary) };
    case 'timerStarted':
      return {
        eventType: EventType.EVENT_TYPE_TIMER_STARTED,
        timerStartedEventAttributes: {
          timerId: event.timerId,
          startToFireTimeout: timestampOf(event.ms),
          workflowTaskCompletedEventId: Long.fromNumber(event.completedId),
        },
        ...summaryOf(event.summary),
      };
    case 'timerFired':
      return {
        eventType: EventType.EVENT_TYPE_TIMER_FIRED,
        timerFiredEventAttributes: { timerId: event.timerId, startedEventId: Long.fromNumber(event.startedId) },
      };
    case 'timerCanceled':
      return {
        eventType: EventType.EVENT_TYPE_TIMER_CANCELED,
        timerCanceledEventAttributes: {
          timerId: event.timerId,
          startedEventId: Long.fromNumber(event.startedId),
          workflowTaskCompletedEventId: Long.fromNumber(event.completedId),
        },
      };
    case 'activityScheduled': {
      const { activityId, activityType, taskQueue, input, retry, summary } = event.activity;
      const { startToCloseMs, heartbeatMs, scheduleToStartMs } = event.activity;
      return {
        eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
        activityTaskScheduledEventAttributes: {
          activityId,
          activityType: { name: activityType },
          input: { payloads: [...input] },
          taskQueue: { name: taskQueue },
          startToCloseTimeout: timestampOf(startToCloseMs),
          heartbeatTimeout: timestampOf(heartbeatMs),
          scheduleToStartTimeout: timestampOf(scheduleToStartMs),
          workflowTaskCompletedEventId: Long.fromNumber(event.completedId),
          retryPolicy: realRetry(retry),
        },
        ...summaryOf(summary),
      };
    }
    case 'activityStarted':
      return {
        eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED,
        activityTaskStartedEventAttributes: {
          scheduledEventId: Long.fromNumber(event.scheduledId),
          attempt: event.attempt,
        },
      };
    case 'activityCompleted':
      return {
        eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
        activityTaskCompletedEventAttributes: { ...activityIds(event), result: { payloads: payloadsOf(event.result) } },
      };
    case 'activityFailed':
      return {
        eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED,
        activityTaskFailedEventAttributes: {
          ...activityIds(event),
          failure: event.failure,
          retryState: retryStateOf(event),
        },
      };
    case 'activityTimedOut':
      return {
        eventType: EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT,
        activityTaskTimedOutEventAttributes: {
          ...activityIds(event),
          ...given({ startedEventId: event.timeout === 'scheduleToStart' ? Long.ZERO : undefined }),
          failure: timeoutFailure(event.timeout, event.before),
          retryState: retryStateOf(event),
        },
      };
    case 'signaled':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
        workflowExecutionSignaledEventAttributes: {
          signalName: event.signalName,
          input: { payloads: [...event.input] },
          header: {},
        },
      };
    case 'attributesUpserted':
      return {
        eventType: EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
        upsertWorkflowSearchAttributesEventAttributes: {
          workflowTaskCompletedEventId: Long.fromNumber(event.completedId),
          searchAttributes: { indexedFields: { ...event.attributes } },
        },
      };
    case 'completed':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
        workflowExecutionCompletedEventAttributes: {
          workflowTaskCompletedEventId: Long.fromNumber(event.completedId),
          result: { payloads: payloadsOf(event.result) },
        },
      };
    case 'failed':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
        workflowExecutionFailedEventAttributes: {
          workflowTaskCompletedEventId: Long.fromNumber(event.completedId),
          failure: event.failure,
        },
      };
    case 'continuedAsNew':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
        workflowExecutionContinuedAsNewEventAttributes: {
          workflowTaskCompletedEventId: Long.fromNumber(event.completedId),
          newExecutionRunId: event.newRunId,
          workflowType: { name: event.workflowType },
          input: { payloads: [...event.input] },
        },
      };
    case 'terminated':
      return {
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
        workflowExecutionTerminatedEventAttributes: { reason: 'by hand' },
      };
  }
}

function realRetry({ firstMs, coefficient, mostMs, attempts, finalTypes }: RetryPolicy) {
  return {
    initialInterval: timestampOf(firstMs),
    backoffCoefficient: coefficient,
    maximumInterval: timestampOf(mostMs),
    maximumAttempts: attempts,
    nonRetryableErrorTypes: [...finalTypes],
  };
}

/** That it began stands right before its end. */
function activityIds({ id, scheduledId }: { readonly id: number; readonly scheduledId: number }) {
  return { scheduledEventId: Long.fromNumber(scheduledId), startedEventId: Long.fromNumber(id - 1) };
}

function payloadsOf(payload: Payload | undefined): Payload[] {
  return payload === undefined ? [] : [payload];
}

function summaryOf(summary: Payload | undefined): Pick<RealEvent, 'userMetadata'> {
  return given({ userMetadata: summary && { summary } });
}
