import type { Connection, WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { formatSpan } from '../output/age.ts';
import { millisecondsOf, readPollers, type Poller } from '../access/pollers.ts';

/** A task of a workflow that nobody has taken, or that fails, as Temporal tells of it. */
export interface PendingTask {
  readonly taskQueue: string;
  /** False: a worker is at it. */
  readonly isUntaken: boolean;
  /** Milliseconds since the epoch. */
  readonly scheduledAt: number;
  /** Counts from 1. */
  readonly attempt: number;
}

/** A worker that is there takes a task at once: one that lies longer is nobody's. In milliseconds. */
const SLOW_MS = 3000;
/** A workflow task that failed so often fails by its nature. */
const FAILING_ATTEMPT = 3;

const { PENDING_WORKFLOW_TASK_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingWorkflowTaskState;
const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;

/** What keeps a running workflow from its next step, seen from Temporal; undefined: nothing. */
export async function findObstacle(
  connection: Connection,
  namespace: string,
  { raw, taskQueue }: WorkflowExecutionDescription,
): Promise<string | undefined> {
  const now = Date.now();
  const { pendingWorkflowTask, pendingActivities } = raw;
  if (pendingWorkflowTask) {
    const task = {
      taskQueue,
      isUntaken: pendingWorkflowTask.state === PENDING_WORKFLOW_TASK_STATE_SCHEDULED,
      scheduledAt: millisecondsOf(pendingWorkflowTask.scheduledTime, now),
      attempt: pendingWorkflowTask.attempt ?? 1,
    };
    return obstacleOf(task, await readPollers(connection, namespace, taskQueue, 'workflow'), now);
  }
  const untaken = pendingActivities?.find(({ state }) => state === PENDING_ACTIVITY_STATE_SCHEDULED);
  if (untaken === undefined) return undefined;
  const scheduledAt = millisecondsOf(untaken.scheduledTime, now);
  const pollers = await readPollers(connection, namespace, taskQueue, 'activity');
  return obstacleOf({ taskQueue, isUntaken: true, scheduledAt, attempt: 1 }, pollers, now);
}

/** A poller that waits for work gets it: who polled before the task came, and did not get it, is not there any more. */
export function obstacleOf(
  { taskQueue, isUntaken, scheduledAt, attempt }: PendingTask,
  pollers: readonly Poller[],
  now: number,
): string | undefined {
  const [last] = [...pollers].sort((a, b) => b.lastPollAt - a.lastPollAt);
  const isSlow = now - scheduledAt >= SLOW_MS;
  if (isUntaken && (last === undefined || (isSlow && last.lastPollAt < scheduledAt))) {
    const since =
      last === undefined ? '' : `; the last one, ${last.identity}, asked ${formatSpan(now - last.lastPollAt)} ago`;
    const due = formatSpan(now - scheduledAt);
    return `a worker: no worker polls task queue ${taskQueue}, so nobody takes the step that has been due for ${due}${since}. Does \`millwright worker\` run?`;
  }
  if (attempt < FAILING_ATTEMPT) return undefined;
  return `a mended worker: the workflow's task on queue ${taskQueue} has failed ${attempt - 1} times; the worker's log and the Temporal UI say why`;
}
