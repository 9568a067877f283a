import { ActivityFailure } from '@temporalio/workflow';
import { causeOf } from '../../../k8s/model/reasons/reasons.ts';
import { isObjectChanged, isRefused } from '../../activity-failures.ts';
import { fixTime } from '../../short-steps.ts';
import { asSummary } from '../../summary.ts';
import { DONE, waitMeanwhile, type Answer } from '../answer.ts';
import {
  balanceRequest,
  LOAD_BALANCERS_ATTACHED,
  mayBeBalanced,
  noteOpenCall,
  openAfterFailure,
  openAfterSilence,
} from '../load-balancers.ts';
import type { CloudFailure } from '../launch-record.ts';
import type { BalanceAnswer } from '../load-balancer-activities.ts';
import type { Pass } from '../pass.ts';
import { cloudCalls } from '../ports.ts';
import { noAnswer } from '../unanswered.ts';
import { failedAgain, notDue, waitOf } from '../step-retry.ts';

const STEP = 'AttachLoadBalancers';

/**
 * Puts the instance of a Running machine behind the load balancers of its spec. A load balancer that refuses it keeps
 * nobody from using the Node: the machine stays Running, says so in a condition, and tries again.
 */
export async function balanced(pass: Pass): Promise<Answer> {
  const { memory, instanceId: id } = pass;
  const { balanced: slot } = memory;
  if (pass.isResync) delete slot.isAttached;
  if (slot.isAttached === true || pass.status.phase !== 'Running' || id === undefined || !mayBeBalanced(pass))
    return DONE;
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitMeanwhile(wait);
  const answer = await attach(pass, id);
  if (answer.outcome !== 'done') {
    await fixTime();
    const openUntil =
      answer.outcome === 'silent'
        ? openAfterSilence(pass.settings, pass.nowMs)
        : openAfterFailure(answer.failure, pass.nowMs);
    if (openUntil !== undefined) noteOpenCall(memory, openUntil);
    slot.retry = failedAgain(pass, STEP, answer.failure, slot.retry);
    const { failures, message } = slot.retry;
    if (answer.failure.notSent !== true) {
      if (failures === 1) pass.tell({ type: 'Warning', reason: 'FailedUpdate', message });
      pass.setCondition({ type: LOAD_BALANCERS_ATTACHED, status: 'False', ...causeOf(answer.failure), message });
    }
    return waitMeanwhile(waitOf(slot.retry));
  }
  slot.isAttached = true;
  delete slot.retry;
  if (answer.loadBalancers.length > 0) {
    const message = `instance ${id} is behind ${answer.loadBalancers.join(', ')}`;
    pass.setCondition({ type: LOAD_BALANCERS_ATTACHED, status: 'True', reason: 'Attached', message });
  }
  return DONE;
}

/** The activity told nothing. */
interface Silence {
  readonly outcome: 'silent';
  readonly failure: CloudFailure;
}

/** No answer is a failure, too: the worker died, or its time was up. */
async function attach(pass: Pass, id: string): Promise<BalanceAnswer | Silence> {
  const summary = asSummary(`attach ${id} to its load balancers`);
  const { attachLoadBalancers } = cloudCalls(pass.settings);
  try {
    return await attachLoadBalancers.executeWithOptions({ summary }, [balanceRequest(pass, id)]);
  } catch (error) {
    if (isRefused(error) || isObjectChanged(error) || !(error instanceof ActivityFailure)) throw error;
    const why = error.cause?.message ?? error.message;
    return { outcome: 'silent', failure: noAnswer(`asking the load balancers to attach ${id} got no answer (${why})`) };
  }
}
