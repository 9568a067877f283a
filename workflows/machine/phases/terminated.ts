import { asSummary } from '../../summary.ts';
import { AGAIN, DONE, waitFor, type Answer } from '../answer.ts';
import { retryDeletion, TERMINATE_STEP, waitForTermination } from '../deletion-waits.ts';
import { isGone, knownOwn, wasProvedGone } from '../instance-facts.ts';
import type { CloudFailure } from '../launch-record.ts';
import { askAfterInstance, frozenParameters, proveAbsence } from '../look-at-instance.ts';
import type { Disowned, InstanceLook } from '../instance-activities.ts';
import { whenClaimIsShown } from '../past.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { takeAsOwn } from '../proved-instance.ts';
import { notDue } from '../step-retry.ts';
import { tellGone, tellLook, tellNodeLeft, tellState } from '../tell-look.ts';

/**
 * A first look that is due within this, in milliseconds, is waited for in the same task, which spares the history a timer and a
 * task, and the object a status that nobody could read. Half of what a cloud may keep a task waiting.
 */
const LONGEST_MOMENT_MS = 1000;

/** Asks for the termination of the machine's instance, and looks until it is gone. */
export async function terminated(pass: Pass): Promise<Answer> {
  const { terminated: slot } = pass.memory;
  const id = pass.instanceId;
  if (id === undefined || slot.isDone === true || (isTerminated(pass) && pass.memory.endSeen === id)) return DONE;
  pass.noteInstance(id);
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  const answer = await end(pass, id);
  if (answer.outcome === 'done') slot.isDone = true;
  return answer;
}

async function end(pass: Pass, id: string): Promise<Answer> {
  const { isEndAskedFor, terminated: slot } = pass.memory;
  if (isEndAskedFor === true && slot.again !== true) return lookAfterIt(pass, id);
  if (isEndAskedFor !== true && pass.status.instance === undefined) {
    const answer = await makeSureItsOwn(pass, id);
    if (answer !== 'absent') return answer;
  }
  return askForTermination(pass, id);
}

async function lookAfterIt(pass: Pass, id: string): Promise<Answer> {
  const { terminated: slot } = pass.memory;
  const askedAt = pass.nowMs;
  const look = await askAfterInstance(pass, id);
  tellLook(pass, id, look);
  if (look.outcome === 'failed') return tryAgain(pass, look.failure);
  delete slot.retry;
  slot.looks = (slot.looks ?? 0) + 1;
  if (look.outcome === 'foreign') return unlessClaimed(pass, look);
  if (look.outcome !== 'found') return provedAbsent(pass, id, look, askedAt);
  delete slot.absentLooks;
  pass.set({ instance: { id, state: look.instance.state } });
  if (isTerminated(pass)) return DONE;
  // It does not end yet: the request to the cloud may have been lost. It is sent again.
  slot.again = !isGone(look.instance.state);
  return waitForTermination(pass, `instance ${id} is ${look.instance.state}`, slot.looks);
}

function isTerminated({ status }: Pass): boolean {
  return status.instance?.state === 'terminated';
}

/**
 * One more look that did not show the instance. Its termination was asked for, or nothing here launched it: so the proof
 * counts although the view of the cloud is doubted, which a deletion would else wait for for ever.
 * @param askedAt when the look was asked for
 */
function provedAbsent(
  pass: Pass,
  id: string,
  look: Extract<InstanceLook, { outcome: 'absent' | 'untrusted' }>,
  askedAt: number,
): Answer {
  const { terminated: slot } = pass.memory;
  const proof = proveAbsence(pass, slot, id, look, askedAt);
  if ('proved' in proof) {
    tellGone(pass, id, `the cloud did not know it in ${proof.proved} looks`);
    return DONE;
  }
  const { message, until } = proof;
  const isDoubted = look.outcome === 'untrusted';
  return waitFor({
    step: TERMINATE_STEP,
    reason: isDoubted ? 'ManyInstancesMissing' : 'InstanceMissing',
    message: isDoubted ? `${message}, although there is a doubt: ${look.message}` : message,
    until,
  });
}

/**
 * A Machine that only names an instance must not end another one's: no answer is no leave to. An earlier look did not show it as the
 * Machine's, and hooks may have held its end for hours since. Done: there is nothing of this Machine's to end.
 */
async function makeSureItsOwn(pass: Pass, id: string): Promise<'absent' | Answer> {
  const askedAt = pass.nowMs;
  const look = await askAfterInstance(pass, id);
  tellLook(pass, id, look);
  switch (look.outcome) {
    case 'foreign':
      return unlessClaimed(pass, look);
    case 'failed':
      return tryAgain(pass, look.failure);
    case 'found':
      return takeAsOwn(pass, look.instance);
    case 'untrusted':
      return provedAbsent(pass, id, look, askedAt);
    case 'absent':
      return 'absent';
  }
}

/** Another's is not touched; but one that was claimed may still be shown as another's. */
function unlessClaimed(pass: Pass, look: Disowned & { readonly message: string }): Answer {
  const until = whenClaimIsShown(pass, look);
  if (until === undefined) return DONE;
  return waitFor({ step: TERMINATE_STEP, reason: 'InstanceOfAnother', message: look.message, until });
}

/**
 * A status proves nothing, since others may write it: only an instance that this workflow saw the launch answer with ends without a
 * look at whose it is. Done: it was asked for, and the instance has ended a moment later.
 */
async function askForTermination(pass: Pass, id: string): Promise<Answer> {
  const { memory } = pass;
  const { terminated: slot } = memory;
  const lookAfterMs = Math.min(pass.settings.terminationLookSeconds * 1000, LONGEST_MOMENT_MS);
  const answer = await local.terminateInstance.executeWithOptions({ summary: asSummary(`terminate ${id}`) }, [
    { ...pass.target, id, ...frozenParameters(pass), ...knownOwn(pass, id), lookAfterMs },
  ]);
  if (answer.outcome === 'failed') return tryAgain(pass, answer.failure);
  if (answer.outcome === 'foreign') return unlessClaimed(pass, answer);
  delete slot.retry;
  delete slot.absentLooks;
  delete slot.again;
  memory.isEndAskedFor = true;
  slot.looks = (slot.looks ?? 0) + 1;
  tellNodeLeft(pass, id);
  if (answer.outcome === 'asked') {
    pass.set({ instance: { id, state: answer.state } });
    tellState(pass, id, answer.state);
    if (isTerminated(pass)) return DONE;
    // It does not end yet: the request to the cloud may have been lost. It is sent again.
    slot.again = !isGone(answer.state);
  } else if (wasProvedGone(pass.status)) {
    // The cloud still does not know it. A single look, should the object be gone suddenly, would prove nothing.
    memory.provedGoneAt ??= pass.rests;
    pass.set({ instance: { id, state: 'terminated' } });
    return AGAIN;
  }
  return waitForTermination(pass, `instance ${id} was asked to terminate`, slot.looks);
}

function tryAgain(pass: Pass, failure: CloudFailure): Answer {
  return retryDeletion(pass, TERMINATE_STEP, pass.memory.terminated, failure);
}
