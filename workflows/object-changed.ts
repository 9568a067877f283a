import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { OBJECT_CHANGED } from './object-changed-type.ts';

/** True where an activity failed because the object is not what the workflow thought. */
export function isObjectChanged(error: unknown): error is ActivityFailure {
  return (
    error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === OBJECT_CHANGED
  );
}
