import { given } from '../../providers/given.ts';
import type { FoundCheck } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';

/**
 * The remediations under way, with those that are not remembered: a Machine that is being deleted and bears the check's name is one.
 * The memory of it was lost, with Temporal's database or with a worker that died before its task was recorded.
 */
export function withForgotten(
  slots: HealthMemory['slots'],
  { suspects, remediation }: FoundCheck,
  { uid: checkUid, now }: { readonly uid: string; readonly now: number },
): HealthMemory['slots'] {
  const step = Math.max(
    0,
    remediation.steps.findIndex(({ action }) => action === 'Replace'),
  );
  const forgotten = suspects.filter(
    ({ uid, isDeleting, claim }) => isDeleting === true && claim?.uid === checkUid && slots[uid] === undefined,
  );
  if (forgotten.length === 0) return slots;
  const again = forgotten.map(({ uid, name, set, isControlPlane }): [string, Slot] => [
    uid,
    {
      name,
      ...given({ set, isControlPlane }),
      cause: 'it was being deleted already when the check began',
      startedAt: now,
      step,
      action: 'Replace',
      asked: { times: 1, at: now, outcome: 'done' },
      isLeaving: true,
    },
  ]);
  return { ...slots, ...Object.fromEntries(again) };
}
