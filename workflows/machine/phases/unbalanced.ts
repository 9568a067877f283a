import { AGAIN, DONE, waitFor, type Answer } from '../answer.ts';
import { askBalancers, LOAD_BALANCERS_ATTACHED, mayBeBalanced } from '../load-balancers.ts';
import type { Pass } from '../pass.ts';
import { notDue } from '../retry.ts';
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
  const answer = await askBalancers(pass, instance.id, 'detach');
  if (answer.outcome === 'failed') {
    return retryDeletion(pass, STEP, slot, answer.failure);
  }
  slot.isDetached = true;
  pass.clearCondition(LOAD_BALANCERS_ATTACHED);
  // What follows a recorded step may be done over by itself, when a signal comes before the workflow ends, and by another worker: it
  // begins with a look of its own, which tells that the object is gone.
  return AGAIN;
}
