import type { KubeClient } from '../../k8s/client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { DisruptionBudget } from '../../k8s/model/disruption-budget.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { DISRUPTION_BUDGETS } from '../../k8s/resources.ts';
import type { Clock } from '../../providers/clock.ts';
import { coalesce } from '../coalesce.ts';
import { areFewEnough, describeBudget, type BudgetHold } from './describe-budget.ts';

/** How long a look at a namespace's budgets waits for others, in milliseconds. */
const GATHER_MS = 100;

/** Looks at the budgets of pods. Those of one namespace that are asked about at the same time share one list of its budgets. */
export interface BudgetLooks {
  /** Says what keeps a pod that its budget does not let go. What came of its eviction is not lost where the budgets cannot be read. */
  readonly explain: ExplainBudget;
  /** Several budgets selected the pod when it was last asked to leave, and not more than one does now. False where they cannot be read. */
  readonly areMended: (pod: Pod) => Promise<boolean>;
}

export type ExplainBudget = (pod: Pod, hold: BudgetHold) => Promise<string>;

export function createBudgetLooks(kube: KubeClient, clock: Clock): BudgetLooks {
  const budgetsIn = coalesce(
    clock,
    async (namespace) => (await kube.list<DisruptionBudget>(DISRUPTION_BUDGETS, { namespace })).items,
    GATHER_MS,
  );

  return {
    async explain(pod, hold) {
      try {
        return describeBudget(pod, await budgetsIn(pod.namespace), hold);
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        return `a PodDisruptionBudget keeps it, and cannot be read: ${error.message}`;
      }
    },

    async areMended(pod) {
      try {
        return areFewEnough(pod, await budgetsIn(pod.namespace));
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        // It is told with the pod.
        return false;
      }
    },
  };
}
