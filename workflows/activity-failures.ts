import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { FOREIGN_CLUSTER, KUBERNETES_REFUSED, OBJECT_CHANGED } from './failure-types.ts';

/** How an activity's failure reaches a workflow: wrapped, or, a local activity's, as it is. */
type FailedActivity = ActivityFailure | ApplicationFailure;

/**
 * True where an activity did nothing because the object is not what the workflow thought: look again. So it is with a recorded
 * step that a worker of another cluster was given; a local one fails the workflow task.
 */
export function isObjectChanged(error: unknown): error is FailedActivity {
  return isOfType(error, OBJECT_CHANGED) || (error instanceof ActivityFailure && isOfType(error, FOREIGN_CLUSTER));
}

/** True where the Kubernetes API refused what an activity asked for. */
export function isRefused(error: unknown): error is FailedActivity {
  return isOfType(error, KUBERNETES_REFUSED);
}

/**
 * What an activity failed of, in its own words. Throws on what is nothing to live with: no activity's failure, a
 * cancellation, or a step that a worker of another cluster was given.
 */
export function failureMessage(error: unknown): string {
  // A local step that timed out fails by ActivityFailure in the run, and by its cause in a replay.
  const isTimeout = error instanceof TimeoutFailure;
  const isFailure = isTimeout || error instanceof ActivityFailure || error instanceof ApplicationFailure;
  const isForeign = error instanceof ApplicationFailure && error.type === FOREIGN_CLUSTER;
  if (!isFailure || isForeign || isCancellation(error)) throw error;
  return error.cause?.message ?? error.message;
}

function isOfType(error: unknown, type: string): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === type;
}
