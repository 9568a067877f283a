import { purposeOf } from '../../../k8s/model/drain.ts';
import { DONE, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

/** A machine that has failed stays as it is until it is deleted, also where it is to be in maintenance. */
export function failed(pass: Pass): Answer {
  if (!pass.hasFailed) return DONE;
  if (purposeOf(pass.seen.machine) === 'maintenance') {
    const message =
      'the machine has failed: nothing but its deletion is done to it, and its Node is not drained before that';
    pass.setCondition({ type: 'Maintenance', status: 'False', reason: 'MachineFailed', message });
  } else {
    pass.clearCondition('Maintenance');
  }
  return { outcome: 'idle', why: pass.status.error?.message ?? 'it failed' };
}
