import { PAUSED_STEP } from '../../../k8s/model/reasons/steps.ts';
import { describePause } from '../../describe-pause.ts';
import { DONE, waitFor, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

const CONDITION = 'Paused';

/** A machine that is paused, or whose Cluster is, is left as it is. */
export function paused(pass: Pass): Answer {
  const { paused: isPaused, pausedBy } = pass.seen.machine;
  if (!isPaused) {
    pass.clearCondition(CONDITION);
    return DONE;
  }
  const message = describePause('nothing is done to this machine', pausedBy);
  pass.setCondition({ type: CONDITION, status: 'True', reason: 'Paused', message });
  return waitFor({ step: PAUSED_STEP, reason: 'Paused', message });
}
