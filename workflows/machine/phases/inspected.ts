import { AGAIN, DONE, waitMeanwhile, type Answer } from '../answer.ts';
import { lookAtInstance } from '../look-at-instance.ts';
import type { Pass } from '../pass.ts';
import { notDue } from '../step-retry.ts';

/** The instance behind the machine is looked at where something gave a reason to. */
export async function inspected(pass: Pass): Promise<Answer> {
  const { memory, instanceId: id } = pass;
  const { inspected: slot } = memory;
  if (id === undefined || pass.isInstanceNew) return DONE;
  followReadiness(pass);
  if (memory.inspect === true || pass.isResync) {
    slot.isOpen = true;
    delete slot.retry;
  }
  delete memory.inspect;
  // Only the cloud can tell a providerID that the Machine lost, and that this workflow never saw.
  if (pass.providerID === undefined || (slot.readyLookAt ?? Infinity) <= pass.nowMs) slot.isOpen = true;
  if (slot.isOpen !== true) return lookLater(slot.readyLookAt);
  // A look may take long: a new phase, as that the machine runs, is written first, and the next pass looks.
  if (pass.status.phase !== pass.seen.machine.status.phase) return AGAIN;
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitMeanwhile(wait);
  const answer = await lookAtInstance(pass, slot, id);
  if (answer.outcome === 'done') {
    slot.isOpen = false;
    delete slot.readyLookAt;
  }
  return answer;
}

function lookLater(until: number | undefined): Answer {
  return until === undefined ? DONE : { outcome: 'done', until, why: "a look at the instance's state and addresses" };
}

/** When its Node becomes Ready the instance is looked at some time later; when it stops being Ready, once and at once. */
function followReadiness(pass: Pass): void {
  const { memory, settings, nowMs, isNodeReady } = pass;
  const { inspected: slot } = memory;
  if (isNodeReady) {
    if (memory.isSeenReady === true) return;
    // What the cloud knows by now, its addresses above all, can wait until machines that are still coming up are up. The looks of
    // those that became Ready within half of that time fall on the same moment: they share a call.
    const apartMs = (settings.readyLookSeconds * 1000) / 2;
    slot.readyLookAt ??= Math.ceil((nowMs + settings.readyLookSeconds * 1000) / apartMs) * apartMs;
    return;
  }
  // Also of one that was to be looked at a while after its Node became Ready: its instance may have ended since.
  if (memory.isSeenReady === true || slot.readyLookAt !== undefined) slot.isOpen = true;
  delete slot.readyLookAt;
  memory.isSeenReady = false;
}
