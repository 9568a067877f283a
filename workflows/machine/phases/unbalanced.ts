import { asSummary } from '../../summary.ts';
import { DONE, waitFor, type Answer } from '../answer.ts';
import { LOAD_BALANCERS_ATTACHED, mayBeBalanced } from '../load-balancers.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { notDue } from '../step-retry.ts';
import { retryDeletion } from '../deletion-waits.ts';

const STEP = 'DetachLoadBalancers';

/**
 * Takes the instance from behind its load balancers: none sends it anything while it ends, nor to whoever has its address after
 * it ended by itself.
 */
export async function unbalanced(pass: Pass): Promise<Answer> {
  const { unbalanced: slot } = pass.memory;
  const { instance } = pass.status;
  // An instance that the Machine only names, and was never found to have, may be behind another one's.
  if (instance === undefined || slot.isDetached === true || !mayBeBalanced(pass)) return DONE;
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  const { id } = instance;
  const summary = asSummary(`detach ${id} from its load balancers`);
  const answer = await local.detachLoadBalancers.executeWithOptions({ summary }, [{ ...pass.target, id }]);
  if (answer.outcome === 'failed') {
    return retryDeletion(pass, STEP, slot, answer.failure);
  }
  slot.isDetached = true;
  pass.clearCondition(LOAD_BALANCERS_ATTACHED);
  return DONE;
}
