import { DEFAULT_DRAIN } from '../../../k8s/model/drain.ts';
import { joinNames } from '../../../k8s/model/some-names.ts';
import { DONE, waitFor, type Answer } from '../answer.ts';
import { isDrainSkipped } from '../deletion-points.ts';
import { waitForKubernetes } from '../deletion-waits.ts';
import { namePods } from '../describe-drain.ts';
import type { VacateAnswer } from '../drain-activities.ts';
import { leftToKubernetes } from '../emptying.ts';
import type { LeftToKubernetes } from '../memory.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { nodeTarget } from '../proved-instance.ts';
import { notDue } from '../step-retry.ts';

const STEP = 'VacateNode';

/** Between two looks, in milliseconds. */
const LOOK_MS = 5000;

/**
 * Waits, for some time, until Kubernetes has taken its pods and volumes from a Node that was not drained. Where the Node went before
 * them, their volumes could be attached elsewhere only minutes later.
 */
export async function vacated(pass: Pass): Promise<Answer> {
  const slot = leftToKubernetes(pass);
  const { drain = DEFAULT_DRAIN } = pass.seen.machine;
  if (slot === undefined || slot.isDone === true || isDrainSkipped(pass)) return DONE;
  const wait = notDue(slot.retry, pass.nowMs) ?? slot.wait;
  if (wait?.until !== undefined && wait.until > pass.nowMs) return waitFor(wait);
  const answer = await local.vacateNode(nodeTarget(pass));
  const left = describeLeft(answer);
  if (left === undefined) return over(slot);
  slot.startedAt ??= pass.nowMs;
  const deadline = slot.startedAt + drain.volumeDetachTimeoutMs;
  if (pass.nowMs >= deadline) {
    const message = `the Node goes with what is left on it, which is not waited for any more: ${left}`;
    pass.tellOnce({ type: 'Warning', reason: 'NodeNotVacated', message });
    return over(slot);
  }
  if (answer.outcome === 'failed') return waitForKubernetes(pass, STEP, slot, left, deadline);
  delete slot.retry;
  const latest = new Date(deadline).toISOString();
  const message = `Kubernetes has not taken away everything yet from the Node, on which nothing runs, and is waited for until ${latest}: ${left}`;
  slot.wait = { step: STEP, reason: 'NodeNotVacated', message, until: Math.min(pass.nowMs + LOOK_MS, deadline) };
  return waitFor(slot.wait);
}

/** In words; undefined: nothing. */
function describeLeft(answer: VacateAnswer): string | undefined {
  if (answer.outcome === 'noNode') return undefined;
  if (answer.outcome === 'failed') return answer.message;
  const { pods, volumes } = answer;
  if (pods.count === 0 && volumes?.count === 0) return undefined;
  return [
    ...(pods.count === 0 ? [] : [namePods(pods)]),
    ...(volumes === undefined ? ['volumes that cannot be looked at'] : []),
    ...(volumes === undefined || volumes.count === 0 ? [] : [`volumes ${joinNames(volumes)}`]),
  ].join(', ');
}

function over(slot: LeftToKubernetes): Answer {
  slot.isDone = true;
  delete slot.wait;
  delete slot.retry;
  return DONE;
}
