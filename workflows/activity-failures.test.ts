import { describe, expect, it } from '@jest/globals';
import { ActivityFailure, ApplicationFailure, CancelledFailure, RetryState, TimeoutFailure } from '@temporalio/common';
import { failureMessage } from './activity-failures.ts';
import { FOREIGN_CLUSTER } from './failure-types.ts';

const MESSAGE = 'Activity timed out';
const TIMED_OUT = new TimeoutFailure(MESSAGE, undefined, 'SCHEDULE_TO_CLOSE');
const failed = (cause: Error) =>
  new ActivityFailure('Local Activity timed out', 'letGo', '1', RetryState.CANCEL_REQUESTED, '', cause);

describe('what an activity failed of', () => {
  it('is the same in a replay, where a local step that timed out fails by the cause alone', () => {
    expect([failureMessage(failed(TIMED_OUT)), failureMessage(TIMED_OUT)]).toEqual([MESSAGE, MESSAGE]);
  });

  it('is nothing to live with where it is a cancellation, of another cluster, or no failure of an activity', () => {
    const others = [
      failed(new CancelledFailure('cancelled')),
      ApplicationFailure.nonRetryable('of another cluster', FOREIGN_CLUSTER),
      new Error('a defect'),
    ];
    for (const error of others) expect(() => failureMessage(error)).toThrow(error);
  });
});
