import { asSummary } from '../../summary.ts';
import { DONE, waitFor, type Answer } from '../answer.ts';
import { balanceRequest, LOAD_BALANCERS_ATTACHED, mayBeBalanced, openCallUntil } from '../load-balancers.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { notDue } from '../step-retry.ts';
import { retryDeletion } from '../deletion-waits.ts';

const STEP = 'DetachLoadBalancers';

/**
 * Takes the instance from behind its load balancers: none sends it anything while it ends, nor to whoever has its address after
 * it ended by itself. A call to attach whose answer nobody saw may take effect after that: the instance stays until none can,
 * and is taken from there once more. While it is there nobody else has its address.
 */
export async function unbalanced(pass: Pass): Promise<Answer> {
  const { unbalanced: slot } = pass.memory;
  const { instance } = pass.status;
  // An instance that the Machine only names, and was never found to have, may be behind another one's.
  if (instance === undefined || slot.isDetached === true || !mayBeBalanced(pass)) return DONE;
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  const { id } = instance;
  const openUntil = openCallUntil(pass.memory);
  const isOpen = pass.nowMs < openUntil;
  if (isOpen && slot.isTaken === true) return waitForOpenCall(id, openUntil);
  const summary = asSummary(`detach ${id} from its load balancers`);
  const answer = await local.detachLoadBalancers.executeWithOptions({ summary }, [balanceRequest(pass, id)]);
  if (answer.outcome === 'failed') {
    return retryDeletion(pass, STEP, slot, answer.failure);
  }
  delete slot.retry;
  if (isOpen && answer.loadBalancers.length > 0) {
    slot.isTaken = true;
    return waitForOpenCall(id, openUntil);
  }
  slot.isDetached = true;
  pass.clearCondition(LOAD_BALANCERS_ATTACHED);
  return DONE;
}

function waitForOpenCall(id: string, until: number): Answer {
  const message = `a call to put instance ${id} behind its load balancers was never answered: it is taken from there again when that call can take effect no more, and ends then`;
  return waitFor({ step: STEP, reason: 'AttachmentOutcomeUnknown', message, until });
}
