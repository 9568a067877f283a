import {
  proxyActivities,
  proxyLocalActivities,
  type LocalActivityInterfaceFor,
  type LocalActivityOptions,
} from '@temporalio/workflow';
import type { EventActivities } from './event-activities.ts';
import { FOREIGN_CLUSTER } from './failure-types.ts';
import { given } from '../providers/given.ts';

/**
 * Reads and patches of under a second: one history event each. Retried for as long as it takes (the API server may be
 * away); what only a new look can mend fails as `ObjectChanged` and is not retried.
 *
 * @param summary the words that the Temporal UI shows for it
 * @param limits where it shall not be tried for ever
 */
export function shortSteps<Activities>(
  summary: string,
  { maximumAttempts, ...limits }: ShortLimits = {},
): LocalActivityInterfaceFor<Activities> {
  return proxyLocalActivities<Activities>({
    startToCloseTimeout: '30s',
    localRetryThreshold: '5s',
    ...limits,
    summary,
    retry: {
      initialInterval: '200ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      ...given({ maximumAttempts }),
      // It would be repeated on the same worker: the task goes to another one.
      nonRetryableErrorTypes: [FOREIGN_CLUSTER],
    },
  });
}

interface ShortLimits extends Pick<LocalActivityOptions, 'scheduleToCloseTimeout'> {
  readonly maximumAttempts?: number;
}

/** Events, beside any object. */
export const { reportEvent } = shortSteps<EventActivities>('report an event');

/**
 * To be called after a recorded step and before the time is read. Where the next short step takes longer than a workflow task may,
 * Temporal is asked for more time; a replay then has what came before that step happen that much later, and a deadline that was
 * counted from there is another one. After this, it is the same: it costs one event, so it is for what failed.
 */
export const { fixTime } = shortSteps<EventActivities>('fix the time');

const { putOnRecord: recordAll } = proxyActivities<Pick<EventActivities, 'putOnRecord'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

/**
 * What was decided until here is in the history when this returns: another worker that goes on from there knows of it. Short steps are
 * recorded only with the workflow task that they are part of; a call, which this is, ends that task. A timer would do so too, but the server
 * may let even one of a millisecond take a second.
 *
 * @param summary the words that the Temporal UI shows for it
 */
export async function putOnRecord(summary: string): Promise<void> {
  await recordAll.executeWithOptions({ summary }, []);
}
