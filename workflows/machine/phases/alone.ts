import { DONE, waitFor, type Answer } from '../answer.ts';
import { retryDeletion, TERMINATE_STEP, waitForTermination } from '../deletion-waits.ts';
import { isGone } from '../instance-facts.ts';
import type { Pass } from '../pass.ts';
import { notDue } from '../step-retry.ts';
import { endSurplusInstance, findOwn, inWords } from '../surplus.ts';
import type { CloudFailure } from '../launch-record.ts';

/**
 * Before a Machine goes: ends what else was launched for it, where a call that nobody saw the answer of may have made another
 * instance. One clean launch, called once and answered with its instance, needs no look.
 */
export async function alone(pass: Pass): Promise<Answer> {
  const { alone: slot } = pass.memory;
  if (slot.isDone === true || !mayHaveOthers(pass)) return DONE;
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  const { instanceId } = pass;
  const found = await findOwn(pass);
  if (found.outcome === 'failed') return tryAgain(pass, found.failure);
  const others = found.instances.filter(({ id, state }) => id !== instanceId && state !== 'terminated');
  const ending: string[] = [];
  const left: string[] = [];
  for (const { id, state } of others) {
    const answer = isGone(state) ? { outcome: 'ended' as const } : await endSurplusInstance(pass, id, instanceId);
    if (answer.outcome === 'failed') return tryAgain(pass, answer.failure);
    if (answer.outcome === 'ended') ending.push(id);
    else left.push(`${id} ${inWords(answer)}`);
  }
  delete slot.retry;
  if (ending.length > 0) {
    slot.looks = (slot.looks ?? 0) + 1;
    const message = `more than one instance was launched for the machine: ${ending.join(', ')} ends`;
    return waitForTermination(pass, message, slot.looks);
  }
  if (left.length > 0) pass.tell({ type: 'Warning', reason: 'MultipleInstances', message: left.join('; ') });
  slot.isDone = true;
  return DONE;
}

function mayHaveOthers({ memory, status, instanceId }: Pass): boolean {
  if (memory.launchedOnce !== undefined) return memory.launchedOnce !== instanceId;
  // What was adopted or found may be one of several; so may what a workflow launched of which this one knows nothing.
  if (instanceId !== undefined) return true;
  return (memory.attempt?.prepared.attempt ?? status.launch?.attempt ?? 0) > 1;
}

function tryAgain(pass: Pass, failure: CloudFailure): Answer {
  return retryDeletion(pass, TERMINATE_STEP, pass.memory.alone, failure);
}
