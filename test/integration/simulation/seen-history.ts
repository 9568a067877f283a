import { defaultPayloadConverter } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';
import type Long from 'long';

type RealEvent = temporal.api.history.v1.IHistoryEvent;
type Failure = temporal.api.failure.v1.IFailure;
type Payload = temporal.api.common.v1.IPayload;
type Duration = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;

const { EventType, RetryState, TimeoutType, WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;

/** What an event says that must be the same: no times, and nothing of who it was. */
export function describeEvent(event: RealEvent): string {
  const kind = nameIn(EventType, event.eventType, 'EVENT_TYPE_');
  // The real core repeats a timer's with its cancellation.
  const summary =
    event.userMetadata?.summary && !event.timerCanceledEventAttributes
      ? ` "${summaryOf(event.userMetadata.summary)}"`
      : '';
  return `${String(event.eventId)} ${kind} ${factsOf(event).filter(Boolean).join(', ')}${summary}`;
}

function factsOf(event: RealEvent): readonly (string | false)[] {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) {
    return [
      started.workflowType?.name ?? '',
      `on ${started.taskQueue?.name}`,
      `given ${valuesOf(started.input)}`,
      `first ${started.firstExecutionRunId}`,
      `original ${started.originalExecutionRunId}`,
      `after ${started.continuedExecutionRunId || 'none'}`,
      `attempt ${started.attempt}`,
      `task within ${msOf(started.workflowTaskTimeout)}`,
      attributesOf(started.searchAttributes?.indexedFields),
    ];
  }
  const scheduledTask = event.workflowTaskScheduledEventAttributes;
  if (scheduledTask) return [`attempt ${scheduledTask.attempt}`, `within ${msOf(scheduledTask.startToCloseTimeout)}`];
  const startedTask = event.workflowTaskStartedEventAttributes;
  if (startedTask) return [of(startedTask.scheduledEventId), startedTask.suggestContinueAsNew === true && 'too long'];
  const completedTask = event.workflowTaskCompletedEventAttributes;
  if (completedTask) {
    const { scheduledEventId, startedEventId, sdkMetadata } = completedTask;
    return [of(scheduledEventId, startedEventId), `flags ${JSON.stringify(sdkMetadata?.langUsedFlags ?? [])}`];
  }
  const lostTask = event.workflowTaskTimedOutEventAttributes;
  if (lostTask) {
    return [of(lostTask.scheduledEventId, lostTask.startedEventId), timeoutOf(lostTask.timeoutType)];
  }
  const failedTask = event.workflowTaskFailedEventAttributes;
  if (failedTask) {
    const cause = nameIn(WorkflowTaskFailedCause, failedTask.cause, 'WORKFLOW_TASK_FAILED_CAUSE_');
    return [of(failedTask.scheduledEventId, failedTask.startedEventId), cause];
  }
  const marker = event.markerRecordedEventAttributes;
  if (marker) {
    const { data, result } = marker.details ?? {};
    return [
      marker.markerName ?? '',
      markerData(data?.payloads?.[0]),
      result != null && `result ${valuesOf(result)}`,
      marker.failure != null && describeFailure(marker.failure),
      of(marker.workflowTaskCompletedEventId),
    ];
  }
  const timer = event.timerStartedEventAttributes;
  if (timer) {
    return [`timer ${timer.timerId}`, `${msOf(timer.startToFireTimeout)} ms`, of(timer.workflowTaskCompletedEventId)];
  }
  const fired = event.timerFiredEventAttributes;
  if (fired) return [`timer ${fired.timerId}`, of(fired.startedEventId)];
  const canceled = event.timerCanceledEventAttributes;
  if (canceled) {
    return [`timer ${canceled.timerId}`, of(canceled.startedEventId, canceled.workflowTaskCompletedEventId)];
  }
  return activityFacts(event) ?? runFacts(event);
}

function activityFacts(event: RealEvent): readonly (string | false)[] | undefined {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) {
    const { retryPolicy } = scheduled;
    return [
      `${scheduled.activityType?.name} ${scheduled.activityId} on ${scheduled.taskQueue?.name}`,
      `given ${valuesOf(scheduled.input)}`,
      `within ${msOf(scheduled.startToCloseTimeout)}, ${msOf(scheduled.heartbeatTimeout)}`,
      `${msOf(scheduled.scheduleToStartTimeout)}, ${msOf(scheduled.scheduleToCloseTimeout)}`,
      `retries ${msOf(retryPolicy?.initialInterval)}, ${retryPolicy?.backoffCoefficient}, ${msOf(retryPolicy?.maximumInterval)}`,
      `${retryPolicy?.maximumAttempts} ${retryPolicy?.nonRetryableErrorTypes?.join('|')}`,
      of(scheduled.workflowTaskCompletedEventId),
    ];
  }
  const started = event.activityTaskStartedEventAttributes;
  if (started) {
    const { scheduledEventId, attempt } = started;
    return [of(scheduledEventId), `attempt ${attempt}`];
  }
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed) return [of(completed.scheduledEventId, completed.startedEventId), valuesOf(completed.result)];
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  if (failed) {
    return [
      of(failed.scheduledEventId, failed.startedEventId),
      nameIn(RetryState, failed.retryState, 'RETRY_STATE_'),
      describeFailure(failed.failure),
    ];
  }
  return undefined;
}

function runFacts(event: RealEvent): readonly (string | false)[] {
  const signaled = event.workflowExecutionSignaledEventAttributes;
  if (signaled) return [`${signaled.signalName} ${valuesOf(signaled.input)}`];
  const upserted = event.upsertWorkflowSearchAttributesEventAttributes;
  if (upserted) {
    return [attributesOf(upserted.searchAttributes?.indexedFields), of(upserted.workflowTaskCompletedEventId)];
  }
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed) return [valuesOf(completed.result), of(completed.workflowTaskCompletedEventId)];
  const failed = event.workflowExecutionFailedEventAttributes;
  if (failed) return [describeFailure(failed.failure), of(failed.workflowTaskCompletedEventId)];
  const continued = event.workflowExecutionContinuedAsNewEventAttributes;
  if (continued) {
    const { newExecutionRunId, workflowType, input, workflowTaskCompletedEventId } = continued;
    return [
      `as ${newExecutionRunId} ${workflowType?.name}`,
      `given ${valuesOf(input)}`,
      of(workflowTaskCompletedEventId),
    ];
  }
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (terminated) return [terminated.reason ?? ''];
  return ['unheard of'];
}

function of(...ids: readonly (Long | null | undefined)[]): string {
  return `of ${ids.map((id) => String(id ?? 0)).join(' ')}`;
}

function markerData(payload: Payload | undefined): string {
  if (!payload) return '';
  const { seq, attempt, activity_id: id, activity_type: type, backoff } = valueOf(payload) as Record<string, unknown>;
  return `${String(type)} ${String(id)} ${String(seq)}, attempt ${String(attempt)}, then ${backoff == null ? 'no more' : msOf(backoff)}`;
}

function describeFailure(failure: Failure | null | undefined): string {
  if (!failure) return 'no failure';
  const { message, applicationFailureInfo, activityFailureInfo, timeoutFailureInfo, cause } = failure;
  const parts = [
    `"${message}"`,
    applicationFailureInfo &&
      `${applicationFailureInfo.type} ${applicationFailureInfo.nonRetryable === true ? 'final' : ''} ${valuesOf(applicationFailureInfo.details)}`,
    applicationFailureInfo?.nextRetryDelay && `next in ${msOf(applicationFailureInfo.nextRetryDelay)}`,
    activityFailureInfo &&
      `${activityFailureInfo.activityType?.name} ${activityFailureInfo.activityId} ${nameIn(RetryState, activityFailureInfo.retryState, 'RETRY_STATE_')}`,
    timeoutFailureInfo && timeoutOf(timeoutFailureInfo.timeoutType),
    cause && `because of (${describeFailure(cause)})`,
  ];
  return `failure ${parts.filter(Boolean).join(' ')}`;
}

function timeoutOf(type: number | null | undefined): string {
  return nameIn(TimeoutType, type, 'TIMEOUT_TYPE_');
}

function nameIn(names: Readonly<Record<number, string>>, value: number | null | undefined, prefix: string): string {
  return (names[value ?? 0] ?? String(value)).replace(prefix, '');
}

function attributesOf(fields: Readonly<Record<string, Payload>> | null | undefined): string {
  const pairs = Object.entries(fields ?? {}).map(([name, payload]) => `${name}=${JSON.stringify(valueOf(payload))}`);
  return `attributes ${pairs.sort().join(' ')}`;
}

function valuesOf(given: temporal.api.common.v1.IPayloads | null | undefined): string {
  return JSON.stringify((given?.payloads ?? []).map(valueOf));
}

function valueOf(payload: Payload): unknown {
  return defaultPayloadConverter.fromPayload(payload) ?? null;
}

/** A timer's says a time of day. */
function summaryOf(payload: Payload): string {
  return String(valueOf(payload)).replace(/^until .*? UTC/, 'until then');
}

function msOf(duration: unknown): number {
  const { seconds, nanos } = (duration ?? {}) as NonNullable<Duration>;
  return Number(seconds ?? 0) * 1000 + Math.round((nanos ?? 0) / 1e6);
}
