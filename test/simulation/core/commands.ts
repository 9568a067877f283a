import type { Command, HistoryEvent, RetryPolicy } from '../temporal/history-event.ts';
import { DEFAULT_RETRY, millisecondsOf } from '../temporal/retry-policy.ts';
import type { LocalActivity } from './local-activity.ts';
import type { VmCommand } from './workflow-runtime.ts';
import { given } from '../../../providers/given.ts';

type Duration = { seconds?: unknown; nanos?: number | null } | null | undefined;

/** A local activity that a workflow asks for; undefined: it asks for something else. */
export function toLocalActivity(command: VmCommand, now: number): LocalActivity | undefined {
  const { scheduleLocalActivity: asked, userMetadata } = command;
  if (!asked) return undefined;
  const { seq, activityType, attempt, originalScheduleTime } = asked;
  const original = millisecondsOf(originalScheduleTime);
  return {
    seq: seq ?? 0,
    activityType: activityType ?? '',
    input: asked.arguments ?? [],
    attempt: attempt || 1,
    originalScheduleTime: original === 0 ? now : original,
    startToCloseMs: millisecondsOf(asked.startToCloseTimeout),
    scheduleToCloseMs: millisecondsOf(asked.scheduleToCloseTimeout),
    thresholdMs: millisecondsOf(asked.localRetryThreshold) || 60_000,
    retry: toRetry(asked.retryPolicy),
    ...(userMetadata?.summary && { summary: userMetadata.summary }),
  };
}

/** Throws on what the workflows here do not ask for: then it is to be simulated first. */
export function toCommand(command: VmCommand): Command {
  const summary = command.userMetadata?.summary ? { summary: command.userMetadata.summary } : {};
  if (command.startTimer) {
    const { seq, startToFireTimeout } = command.startTimer;
    return { type: 'startTimer', timerId: String(seq), ms: millisecondsOf(startToFireTimeout), ...summary };
  }
  if (command.cancelTimer) return { type: 'cancelTimer', timerId: String(command.cancelTimer.seq) };
  if (command.scheduleActivity) {
    const asked = command.scheduleActivity;
    return {
      type: 'scheduleActivity',
      activityId: asked.activityId ?? '',
      activityType: asked.activityType ?? '',
      taskQueue: asked.taskQueue ?? '',
      input: asked.arguments ?? [],
      startToCloseMs: millisecondsOf(asked.startToCloseTimeout),
      heartbeatMs: millisecondsOf(asked.heartbeatTimeout),
      scheduleToStartMs: millisecondsOf(asked.scheduleToStartTimeout),
      retry: toRetry(asked.retryPolicy),
      ...summary,
    };
  }
  if (command.upsertWorkflowSearchAttributes) {
    const { searchAttributes } = command.upsertWorkflowSearchAttributes;
    return { type: 'upsertAttributes', attributes: { ...searchAttributes?.indexedFields } };
  }
  if (command.completeWorkflowExecution) {
    const { result } = command.completeWorkflowExecution;
    return { type: 'complete', ...given({ result: result ?? undefined }) };
  }
  if (command.failWorkflowExecution) return { type: 'fail', failure: command.failWorkflowExecution.failure ?? {} };
  if (command.continueAsNewWorkflowExecution) {
    return { type: 'continueAsNew', input: command.continueAsNewWorkflowExecution.arguments ?? [] };
  }
  throw new Error(`the simulation knows no ${Object.keys(command).join(', ')}`);
}

/** What a command has in common with the event that it makes. */
export function describeCommand(command: Command): string {
  switch (command.type) {
    case 'startTimer':
      return `timer ${command.timerId} ${command.ms}`;
    case 'cancelTimer':
      return `cancel ${command.timerId}`;
    case 'scheduleActivity':
      return `activity ${command.activityId} ${command.activityType}`;
    case 'upsertAttributes':
      return `attributes ${Object.keys(command.attributes).sort().join(' ')}`;
    default:
      return command.type;
  }
}

export function describeCommandEvent(event: HistoryEvent): string {
  switch (event.type) {
    case 'timerStarted':
      return `timer ${event.timerId} ${event.ms}`;
    case 'timerCanceled':
      return `cancel ${event.timerId}`;
    case 'activityScheduled':
      return `activity ${event.activity.activityId} ${event.activity.activityType}`;
    case 'attributesUpserted':
      return `attributes ${Object.keys(event.attributes).sort().join(' ')}`;
    case 'completed':
      return 'complete';
    case 'failed':
      return 'fail';
    case 'continuedAsNew':
      return 'continueAsNew';
    default:
      return event.type;
  }
}

function toRetry(
  policy:
    | {
        initialInterval?: Duration;
        backoffCoefficient?: number | null;
        maximumInterval?: Duration;
        maximumAttempts?: number | null;
        nonRetryableErrorTypes?: string[] | null;
      }
    | null
    | undefined,
): RetryPolicy {
  if (!policy) return DEFAULT_RETRY;
  const firstMs = millisecondsOf(policy.initialInterval) || DEFAULT_RETRY.firstMs;
  return {
    firstMs,
    coefficient: policy.backoffCoefficient || DEFAULT_RETRY.coefficient,
    mostMs: millisecondsOf(policy.maximumInterval) || firstMs * 100,
    attempts: policy.maximumAttempts ?? 0,
    finalTypes: policy.nonRetryableErrorTypes ?? [],
  };
}
