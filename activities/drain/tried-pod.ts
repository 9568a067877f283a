import type { Pod } from '../../k8s/model/pod.ts';
import type { PodNote } from '../../workflows/machine/drain-activities.ts';
import { given } from '../../providers/given.ts';
import { noteHeld } from './pod-notes.ts';
import type { CallAnswer } from './evictions.ts';

/** What became of a pod that was asked to go; `left` is missing where it is gone. */
export interface TriedPod {
  readonly pod: Pod;
  readonly left?: Pod;
  readonly note?: PodNote;
  /** Nobody was asked: too many others were. */
  readonly isUnsent?: true;
}

export function triedOf(
  pod: Pod,
  answer: CallAnswer,
  { before, now, graceMs }: { readonly before: PodNote | undefined; readonly now: number; readonly graceMs: number },
): TriedPod {
  if (answer.outcome === 'notSent') return { pod, left: pod, ...given({ note: before }), isUnsent: true };
  if (answer.outcome === 'held') return { pod, left: pod, note: noteHeld(before, answer, now) };
  return answer.outcome === 'accepted' ? { pod, left: asLeaving(pod, graceMs, now) } : { pod };
}

function asLeaving(pod: Pod, graceMs: number, now: number): Pod {
  return { ...pod, endsAt: pod.endsAt ?? now + graceMs, askedToEndAt: pod.askedToEndAt ?? now };
}
