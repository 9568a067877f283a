import { isWithoutRoom } from '../../k8s/model/failure.ts';
import type { FailureReason } from '../../k8s/model/reasons/reasons.ts';
import type { Answer } from './answer.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';

const REASON: FailureReason = 'InsufficientResources';

/**
 * A machine for which the cloud has no room waits, and is not Failed. But cluster-autoscaler would wait with it for 15 minutes: where that
 * sizes its set, and there was no room for a while, the machine is Failed, so that cluster-autoscaler turns to another set and takes this
 * machine away. Until then it is tried on, and once it has its instance it is Failed no more.
 *
 * @param answer what the launch came to
 */
export async function tellLackOfRoom(pass: Pass, answer: Answer): Promise<Answer> {
  const { memory, settings, nowMs } = pass;
  const { launched: slot } = memory;
  const { awaitsTurn, lastError: error } = memory.attempt ?? {};
  const isWait = answer.outcome === 'wait';
  // What else the cloud answered since, or that it was not asked, says nothing of its room. What has to be mended first does.
  const isOpen = isWait && (awaitsTurn !== undefined || (answer.wait.retryClass ?? 'invalid') !== 'invalid');
  if (!isOpen || error === undefined) {
    delete slot.noRoomSince;
    if (isWait) pass.recover('Provisioning');
    return answer;
  }
  if (error.retryClass === 'exhausted') slot.noRoomSince ??= nowMs;
  const { noRoomSince } = slot;
  if (noRoomSince === undefined || pass.seen.machine.owner === undefined) return answer;
  const failsAt = noRoomSince + settings.capacityFailureAfterSeconds * 1000;
  if (failsAt > nowMs) return { ...answer, lookAt: failsAt };
  if (!(await local.isAutoscaled(pass.target))) pass.recover('Provisioning');
  else if (!isWithoutRoom(pass.status)) {
    const waited = `for ${settings.capacityFailureAfterSeconds} s the cloud has had no room for it`;
    const message = `${waited}: cluster-autoscaler may turn to another set, and meanwhile it is tried on; ${error.message}`;
    pass.set({ phase: 'Failed', error: { reason: REASON, message } });
    pass.tell({ type: 'Warning', reason: 'Failed', message });
  }
  return answer;
}
