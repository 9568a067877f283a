import { DEFAULT_DRAIN } from '../../../k8s/model/drain.ts';
import { DONE, waitFor, type Answer } from '../answer.ts';
import { retryDeletion } from '../deletion-waits.ts';
import { isDrainOver, reach, reachedAt } from '../deletion-points.ts';
import { joinNames } from '../describe-drain.ts';
import type { SomeNames } from '../drain-activities.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { kubernetesFailure, notDue } from '../step-retry.ts';

const STEP = 'DetachVolumes';

/** Between two looks, in milliseconds. */
const LOOK_MS = 5000;

/**
 * Waits, for some time, until the volumes of pods that left are detached: a volume that is detached while its instance ends comes
 * up elsewhere minutes later.
 */
export async function detached(pass: Pass): Promise<Answer> {
  const { drained, detached: slot } = pass.memory;
  if (drained.isDone !== true || slot.isDone === true || drained.isCutShort === true || isDrainOver(pass)) return DONE;
  const wait = notDue(slot.retry, pass.nowMs) ?? slot.wait;
  if (wait?.until !== undefined && wait.until > pass.nowMs) return waitFor(wait);
  const volumes = pass.attached ?? (await lookAtVolumes(pass));
  if (typeof volumes === 'string') return retryDeletion(pass, STEP, slot, kubernetesFailure(volumes));
  delete slot.retry;
  if (volumes.count === 0) return over(pass);
  reach(pass, 'volumeDetachStartTime');
  const { volumeDetachTimeoutMs } = pass.seen.machine.drain ?? DEFAULT_DRAIN;
  const deadline = reachedAt(pass, 'volumeDetachStartTime') + volumeDetachTimeoutMs;
  if (pass.nowMs >= deadline) {
    const message = `not detached in time, and not waited for any more: ${joinNames(volumes)}`;
    pass.tell({ type: 'Warning', reason: 'VolumesStillAttached', message });
    return over(pass);
  }
  const message = `volumes are attached to the Node still: ${joinNames(volumes)}`;
  const until = Math.min(pass.nowMs + LOOK_MS, deadline);
  slot.wait = { step: STEP, reason: 'VolumesAttached', message, until };
  return waitFor(slot.wait);
}

/** Why they could not be looked at, or their names. */
async function lookAtVolumes({ target }: Pass): Promise<SomeNames | string> {
  const look = await local.lookAtVolumes(target);
  return look.outcome === 'seen' ? look.volumes : look.message;
}

function over({ memory: { detached: slot } }: Pass): Answer {
  slot.isDone = true;
  delete slot.wait;
  return DONE;
}
