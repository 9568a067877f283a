import type { Pod } from '../../k8s/model/pod.ts';
import type { PodNotes } from '../../workflows/machine/drain-activities.ts';
import type { ExplainBudget } from './explain-budget.ts';
import { shownOf } from './pod-notes.ts';
import type { Surge } from './surge.ts';

/** Says what holds a pod, and what becomes of its Deployment where that is its budget. */
export function createExplainHold(
  explainBudget: ExplainBudget,
  surge: Surge,
  notes: PodNotes,
): (pod: Pod) => Promise<string> {
  return async (pod) => {
    const note = notes[pod.uid];
    const { by, message = 'it cannot be evicted now' } = note === undefined ? {} : shownOf(note);
    if (note === undefined || (by !== 'budget' && by !== 'budgets')) return message;
    const isBlocked = by === 'budget' && note.by === 'budget';
    const [words, more] = await Promise.all([
      explainBudget(pod, { by, words: message }),
      isBlocked ? surge.look(pod, note) : '',
    ]);
    return words + more;
  };
}
