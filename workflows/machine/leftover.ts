import { log } from '@temporalio/workflow';
import { failureMessage } from '../activity-failures.ts';
import type { LeftoverLook, LookAtLeftover } from './instance-activities.ts';
import { local } from './ports.ts';

/** Whether the instance of a Machine that is gone has ended. A cloud that does not tell within an hour leaves it unknown. */
export async function lookAtLeftover(request: LookAtLeftover): Promise<LeftoverLook> {
  try {
    return await local.lookAtLeftover(request);
  } catch (error) {
    log.warn('the cloud does not tell whether the instance has ended', { why: failureMessage(error) });
    return { outcome: 'unknown' };
  }
}
