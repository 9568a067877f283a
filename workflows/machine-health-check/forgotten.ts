import { given } from '../../providers/given.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import type { FoundCheck, Suspect } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';

/**
 * The remediations under way, with those that are not remembered: a Machine that bears the check's name, and is being deleted or to be
 * rebooted, is one. The memory of it was lost, with Temporal's database or with a worker that died before its task was recorded.
 */
export function withForgotten(
  slots: HealthMemory['slots'],
  { suspects, remediation }: FoundCheck,
  { uid: checkUid, now }: { readonly uid: string; readonly now: number },
): HealthMemory['slots'] {
  const { steps } = remediation;
  const forgotten = suspects.filter(({ uid, claim }) => claim?.uid === checkUid && slots[uid] === undefined);
  const again = forgotten.flatMap((suspect): [string, Slot][] => {
    const slot = suspect.isDeleting === true ? leavingSlot(suspect, steps, now) : rebootSlot(suspect, steps, now);
    return slot === undefined ? [] : [[suspect.uid, slot]];
  });
  return again.length === 0 ? slots : { ...slots, ...Object.fromEntries(again) };
}

function leavingSlot(suspect: Suspect, steps: readonly RemediationStep[], now: number): Slot {
  return {
    ...begunSlot(suspect, now),
    cause: 'it was being deleted already when the check began',
    step: Math.max(0, stepOf(steps, 'Replace')),
    action: 'Replace',
    isLeaving: true,
  };
}

/** Undefined: it is not to be rebooted, or the check reboots none any more. */
function rebootSlot(suspect: Suspect, steps: readonly RemediationStep[], now: number): Slot | undefined {
  const id = suspect.reboot?.wanted;
  const step = stepOf(steps, 'Reboot');
  if (id === undefined || step === -1) return undefined;
  const cause = 'it was to be rebooted already when the check began';
  return { ...begunSlot(suspect, now), cause, step, action: 'Reboot', reboot: { id } };
}

function begunSlot({ name, set, isControlPlane }: Suspect, now: number) {
  const asked = { times: 1, at: now, outcome: 'done' } as const;
  return { name, ...given({ set, isControlPlane }), startedAt: now, asked };
}

function stepOf(steps: readonly RemediationStep[], wanted: RemediationStep['action']): number {
  return steps.findIndex(({ action }) => action === wanted);
}
