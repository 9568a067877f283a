import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { KUBERNETES_REFUSED, OBJECT_CHANGED } from './failure-types.ts';

/** True where an activity failed because the object is not what the workflow thought. */
export function isObjectChanged(error: unknown): error is ActivityFailure {
  return isOfType(error, OBJECT_CHANGED);
}

/** True where the Kubernetes API refused what an activity asked for. */
export function isRefused(error: unknown): error is ActivityFailure {
  return isOfType(error, KUBERNETES_REFUSED);
}

function isOfType(error: unknown, type: string): error is ActivityFailure {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === type;
}
