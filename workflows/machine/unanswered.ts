import { ActivityFailure } from '@temporalio/workflow';
import { isObjectChanged, isRefused } from '../activity-failures.ts';
import type { CloudFailure } from './launch-record.ts';

/**
 * A recorded call that was not answered, as a failure that is tried again: its worker died, or its time was up.
 * @param attempted what the call asks for, e.g. `asking to terminate i-1`
 * @throws `error` itself where it is not about the cloud: nothing was asked of it
 */
export function unanswered(error: unknown, attempted: string): CloudFailure {
  if (isRefused(error) || isObjectChanged(error) || !(error instanceof ActivityFailure)) throw error;
  return {
    code: 'DeadlineExceeded',
    retryClass: 'soon',
    message: `${attempted} got no answer (${error.cause?.message ?? error.message})`,
    provesNoInstance: false,
    tokenTerminated: false,
  };
}
