import type { Pod } from '../../k8s/model/pod.ts';
import type { PodNotes } from '../../workflows/machine/drain-activities.ts';
import type { ExplainBudget } from './explain-budget.ts';
import { shownOf } from './pod-notes.ts';
import type { Surge } from './surge.ts';

/** Says what holds a pod. */
export interface ExplainHold {
  readonly words: (pod: Pod) => Promise<string>;
  /** What becomes of its Deployment, where its budget holds it: to stand behind the words; empty: nothing is to be said. */
  readonly more: (pod: Pod) => Promise<string>;
}

export function createExplainHold(explainBudget: ExplainBudget, surge: Surge, notes: PodNotes): ExplainHold {
  return {
    async words(pod) {
      const note = notes[pod.uid];
      const { by, message = 'the API server refuses the eviction now' } = note === undefined ? {} : shownOf(note);
      return by === 'budget' || by === 'budgets' ? explainBudget(pod, { by, words: message }) : message;
    },

    async more(pod) {
      const note = notes[pod.uid];
      const isBlocked = note?.by === 'budget' && shownOf(note).by === 'budget';
      return isBlocked ? surge.look(pod, note) : '';
    },
  };
}
