import { DEFAULT_DRAIN } from '../../../k8s/model/drain.ts';
import { joinNames, type SomeNames } from '../../../k8s/model/some-names.ts';
import { DONE, waitFor, type Answer, type Wait } from '../answer.ts';
import { retryDeletion } from '../deletion-waits.ts';
import { isDrainSkipped, reach, reachedAt } from '../deletion-points.ts';
import type { VolumesLook } from '../drain-activities.ts';
import { detachmentOf, isDrained, isDrainTimedOut } from '../emptying.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { nodeTarget } from '../proved-instance.ts';
import { kubernetesFailure, notDue, type StepFailure } from '../step-retry.ts';
import { given } from '../../../providers/given.ts';

const STEP = 'DetachVolumes';

/** Between two looks, in milliseconds. */
const LOOK_MS = 5000;

/**
 * Waits, for some time, until the volumes of pods that left are detached: a volume that is detached while its instance ends comes
 * up elsewhere minutes later. Those of pods that were left, as the time for the drain was over, are not waited for.
 */
export async function detached(pass: Pass): Promise<Answer> {
  const slot = detachmentOf(pass);
  if (slot.isDone === true || !isDrained(pass) || isDrainSkipped(pass)) return DONE;
  const wait = notDue(slot.retry, pass.nowMs) ?? slot.wait;
  if (wait?.until !== undefined && wait.until > pass.nowMs) return waitFor(wait);
  const look = await lookAtVolumes(pass);
  if (look.outcome === 'seen' && look.volumes.count === 0) return over(pass);
  slot.startedAt ??= reachedAt(pass, 'volumeDetachStartTime');
  reach(pass, 'volumeDetachStartTime', slot.startedAt);
  const { volumeDetachTimeoutMs } = pass.seen.machine.drain ?? DEFAULT_DRAIN;
  const deadline = slot.startedAt + volumeDetachTimeoutMs;
  if (pass.nowMs >= deadline) return giveUp(pass, look);
  if (look.outcome === 'failed') return retryDeletion(pass, STEP, slot, failureOf(look), deadline);
  delete slot.retry;
  return waitFor(awaitVolumes(pass, look.volumes, deadline));
}

function awaitVolumes(pass: Pass, volumes: SomeNames, deadline: number): Wait {
  const latest = new Date(deadline).toISOString();
  const message = `volumes are attached to the Node still, and are waited for until ${latest}: ${joinNames(volumes)}`;
  const until = Math.min(pass.nowMs + LOOK_MS, deadline);
  const wait = { step: STEP, reason: 'VolumesAttached', message, until } as const;
  detachmentOf(pass).wait = wait;
  return wait;
}

/** As the drain found them a moment ago, or anew. */
async function lookAtVolumes(pass: Pass): Promise<VolumesLook> {
  const { attached } = pass;
  if (attached !== undefined) return { outcome: 'seen', volumes: attached };
  return local.lookAtVolumes({ ...nodeTarget(pass), ...given({ sparesLeft: isDrainTimedOut(pass) || undefined }) });
}

function failureOf({ message, isRefused }: Extract<VolumesLook, { outcome: 'failed' }>): StepFailure {
  return isRefused === true ? { code: 'KubernetesRefused', retryClass: 'denied', message } : kubernetesFailure(message);
}

function giveUp(pass: Pass, look: VolumesLook): Answer {
  const message =
    look.outcome === 'seen'
      ? `not detached in time, and not waited for any more: ${joinNames(look.volumes)}`
      : `whether volumes are detached cannot be looked at, and is not waited for any more: ${look.message}`;
  pass.tellOnce({ type: 'Warning', reason: 'VolumesStillAttached', message });
  return over(pass);
}

function over(pass: Pass): Answer {
  const slot = detachmentOf(pass);
  slot.isDone = true;
  delete slot.wait;
  delete slot.retry;
  return DONE;
}
