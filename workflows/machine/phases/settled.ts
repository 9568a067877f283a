import { DONE, waitFor, type Answer } from '../answer.ts';
import { nothingCameCondition, unansweredCondition } from '../deletion-conditions.ts';
import { retryDeletion } from '../deletion-waits.ts';
import { hasEnded } from '../instance-facts.ts';
import type { CloudFailure } from '../launch-record.ts';
import { askAfterInstance } from '../look-at-instance.ts';
import { lookIntoPast, whenClaimIsShown } from '../past.ts';
import type { Pass } from '../pass.ts';
import { isProvedOwn, takeAsOwn } from '../proved-instance.ts';
import { notDue } from '../step-retry.ts';
import { tellLook } from '../tell-look.ts';
import { hasOpenLaunch, SETTLE_STEP, settleLaunch, tellOfOther } from '../settle-launch.ts';

/**
 * A launch whose outcome nobody knows may have made an instance: it is found, or proved never to have been. Of an instance on record, or that the
 * Machine names, which this workflow does not know to be the machine's, it is found out before anything is done to it or to its Node.
 */
export async function settled(pass: Pass): Promise<Answer> {
  const { memory, instanceId } = pass;
  const { settled: slot } = memory;
  const isOpen = hasOpenLaunch(pass);
  const isPastOpen = instanceId === undefined && memory.attempt === undefined && memory.pastOpen === true;
  if (!isOpen && (!isPastOpen || slot.isDone === true)) return proveRecorded(pass);
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  return isOpen ? settleOpen(pass) : endPast(pass);
}

async function settleOpen(pass: Pass): Promise<Answer> {
  const { memory, instanceId } = pass;
  const outcome = await settleLaunch(pass);
  if (outcome.outcome === 'failed') return tryAgain(pass, outcome.failure);
  delete memory.settled.retry;
  switch (outcome.outcome) {
    case 'nothing': {
      const told = nothingCameCondition(pass.status.conditions);
      if (told !== undefined) pass.setCondition(told);
      return DONE;
    }
    case 'open': {
      const message =
        'a call to launch was never answered: the instance it may have made is looked for before the Machine goes';
      if (instanceId === undefined) pass.setCondition(unansweredCondition(message));
      return waitFor({ step: SETTLE_STEP, reason: 'LaunchOutcomeUnknown', message, until: outcome.until });
    }
    case 'instance': {
      const { instance } = outcome;
      if (instanceId !== undefined && instanceId !== instance.id) await tellOfOther(pass, instance, instanceId);
      delete memory.attempt;
      pass.noteInstance(instance.id);
      return takeAsOwn(pass, instance);
    }
  }
}

/** An instance may have been launched that no status tells of. */
async function endPast(pass: Pass): Promise<Answer> {
  const { settled: slot } = pass.memory;
  const past = await lookIntoPast(pass);
  if (past.outcome === 'failed') {
    const { launch, instance, cloud } = pass.status;
    const isOnRecord = launch !== undefined || instance !== undefined || cloud !== undefined;
    if (past.failure.retryClass !== 'invalid' || isOnRecord) return tryAgain(pass, past.failure);
    // It names no cloud to look in, and could not be launched as it is.
    const message = `it is not looked for an instance, since nothing was launched on record and the spec names no cloud: ${past.failure.message}`;
    pass.tell({ type: 'Warning', reason: 'FailedDelete', message });
  }
  if (past.outcome === 'instance') return takeAsOwn(pass, past.instance);
  if (past.outcome === 'another') {
    const until = whenClaimIsShown(pass, past);
    if (until !== undefined) return waitForTags(past.message, until);
    const message = `the machine is being deleted; ${past.message}: it is not touched`;
    pass.tell({ type: 'Normal', reason: 'Delete', message });
  }
  delete slot.retry;
  slot.isDone = true;
  return DONE;
}

/** One look; of an instance that it does not show nothing is known, and its Node is the machine's only where that says so. */
async function proveRecorded(pass: Pass): Promise<Answer> {
  const { memory, status, instanceId: id } = pass;
  const { settled: slot } = memory;
  if (id === undefined || memory.isEndAskedFor === true || hasEnded(status)) return DONE;
  // Of one that the Machine only names the record may have been refused: it is looked at until it is there.
  if (slot.lookedAt === id || (isProvedOwn(memory, id) && status.instance !== undefined)) return DONE;
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  const look = await askAfterInstance(pass, id);
  tellLook(pass, id, look);
  if (look.outcome === 'failed') return tryAgain(pass, look.failure);
  delete slot.retry;
  if (look.outcome === 'foreign') {
    const until = whenClaimIsShown(pass, look);
    if (until !== undefined) return waitForTags(look.message, until);
  }
  if (look.outcome === 'found' && status.instance === undefined) return takeAsOwn(pass, look.instance);
  if (look.outcome === 'found' || look.outcome === 'foreign') memory.judged = { id, isOwn: look.outcome === 'found' };
  slot.lookedAt = id;
  return DONE;
}

function waitForTags(found: string, until: number): Answer {
  const message = `${found}; it may have been tagged as the machine's before, which the cloud need not show yet: it is looked at again before the Machine goes`;
  return waitFor({ step: SETTLE_STEP, reason: 'InstanceOfAnother', message, until });
}

function tryAgain(pass: Pass, failure: CloudFailure): Answer {
  return retryDeletion(pass, SETTLE_STEP, pass.memory.settled, failure);
}
