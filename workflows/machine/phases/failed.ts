import { purposeOf } from '../../../k8s/model/drain.ts';
import { DONE, type Answer, type Phase } from '../answer.ts';
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
  pass.clearCondition('Rebooted');
  return { outcome: 'idle', why: pass.status.error?.message ?? 'it failed' };
}

/** The phase, for a machine that has failed only: of any other it comes later. */
export function whereFailed(phase: Phase): Phase {
  return (pass) => (pass.hasFailed ? phase(pass) : DONE);
}
