import type { KubeClient } from '../../k8s/client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { DisruptionBudget } from '../../k8s/model/disruption-budget.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { DISRUPTION_BUDGETS } from '../../k8s/resources.ts';
import type { Clock } from '../../providers/clock.ts';
import { coalesce } from '../coalesce.ts';
import { describeBudget, type BudgetHold } from './describe-budget.ts';

/** How long a look at a namespace's budgets waits for others, in milliseconds. */
const GATHER_MS = 100;

/** Says what keeps a pod that its budget does not let go. What came of its eviction is not lost where the budgets cannot be read. */
export type ExplainBudget = (pod: Pod, hold: BudgetHold) => Promise<string>;

/** Pods of one namespace that are explained at the same time share one list of its budgets. */
export function createExplainBudget(kube: KubeClient, clock: Clock): ExplainBudget {
  const budgetsIn = coalesce(
    clock,
    async (namespace) => (await kube.list<DisruptionBudget>(DISRUPTION_BUDGETS, { namespace })).items,
    GATHER_MS,
  );

  return async (pod, hold) => {
    try {
      return describeBudget(pod, await budgetsIn(pod.namespace), hold);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return `a PodDisruptionBudget keeps it, and cannot be read: ${error.message}`;
    }
  };
}
