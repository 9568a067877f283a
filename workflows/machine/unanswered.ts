import { TimeoutFailure, type ActivityFailure } from '@temporalio/workflow';
import type { CloudFailure } from './launch-record.ts';

/** A call to the cloud that nobody answered, as a failure. */

/** Temporal gave no worker the call, and gives it none any more. */
export function isNeverStarted({ cause }: ActivityFailure): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/** @param what the call is to do, e.g. `launch` */
export function neverStarted(what: string, afterSeconds: number): CloudFailure {
  const message = `no worker took the call to ${what} within ${afterSeconds} s: it is given back, and asked for anew`;
  return { code: 'Aborted', retryClass: 'soon', message, provesNoInstance: false, tokenTerminated: false };
}

/** The worker died, or its time was up: the call may have had its effect. */
export function noAnswer(message: string): CloudFailure {
  return { code: 'DeadlineExceeded', retryClass: 'soon', message, provesNoInstance: false, tokenTerminated: false };
}
