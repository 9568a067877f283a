import { causeOf } from '../../../k8s/model/reasons/reasons.ts';
import { DONE, waitMeanwhile, type Answer } from '../answer.ts';
import { LOAD_BALANCERS_ATTACHED, mayBeBalanced, askBalancers } from '../load-balancers.ts';
import type { Pass } from '../pass.ts';
import { notDue, retryAfter } from '../retry.ts';

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
  const answer = await askBalancers(pass, id, 'attach');
  if (answer.outcome === 'failed') {
    slot.retry = retryAfter(pass, STEP, answer.failure, slot.retry);
    const { failures, wait: next } = slot.retry;
    if (answer.failure.notSent !== true) {
      const { message } = next;
      if (failures === 1) pass.tell({ type: 'Warning', reason: 'FailedUpdate', message });
      pass.setCondition({ type: LOAD_BALANCERS_ATTACHED, status: 'False', ...causeOf(answer.failure), message });
    }
    return waitMeanwhile(next);
  }
  slot.isAttached = true;
  delete slot.retry;
  if (answer.loadBalancers.length > 0) {
    const message = `instance ${id} is behind ${answer.loadBalancers.join(', ')}`;
    pass.setCondition({ type: LOAD_BALANCERS_ATTACHED, status: 'True', reason: 'Attached', message });
  }
  return DONE;
}
