import { isAbout, type DisruptionBudget } from '../../k8s/model/disruption-budget.ts';
import { countOf } from '../../k8s/model/count.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import type { Hold } from './read-eviction.ts';

/** What a pod's last try to leave was answered. */
export interface BudgetHold {
  readonly by: Extract<Hold, 'budget' | 'budgets'>;
  /** The API server's own, where no budget explains them. */
  readonly words: string;
}

const WHEN_TRIED = 'at the last try';

/**
 * What keeps the pod, in the budget's own numbers. The last try to evict it tells what that is: where its budgets are others by now, the next
 * one may find something else.
 *
 * @param budgets of the pod's namespace
 */
export function describeBudget(pod: Pod, budgets: readonly DisruptionBudget[], { by, words }: BudgetHold): string {
  const own = budgetsOf(pod, budgets);
  const [budget] = own;
  const names = own.map(({ metadata }) => metadata.name).join(' and ');
  if (by === 'budgets') {
    if (own.length > 1)
      return `the PodDisruptionBudgets ${names} both apply, and the Eviction API copes with one for a pod only`;
    const left = budget === undefined ? 'none' : `only ${names}`;
    return `several PodDisruptionBudgets applied ${WHEN_TRIED}, and ${left} does now: the next try comes by itself`;
  }
  if (budget === undefined) return words;
  if (own.length > 1)
    return `one PodDisruptionBudget did not allow the eviction ${WHEN_TRIED}, and ${names} both apply now`;
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods } = budget.status ?? {};
  const allowed = countOf(disruptionsAllowed, 'disruption', 'disruptions');
  // With maxUnavailable only pods count that a controller has.
  const uncounted =
    expectedPods === 0 && currentHealthy > 0 ? '; with maxUnavailable pods without a controller count for nothing' : '';
  const numbers = `allows ${allowed} now (${currentHealthy} healthy, ${desiredHealthy} needed${uncounted})`;
  return disruptionsAllowed > 0
    ? `PodDisruptionBudget ${names} did not allow the eviction ${WHEN_TRIED}, and ${numbers}: the next try comes by itself`
    : `PodDisruptionBudget ${names} ${numbers}${adviceOn(pod, budget)}`;
}

/** The Eviction API takes a pod that so many budgets select. */
export function areFewEnough(pod: Pod, budgets: readonly DisruptionBudget[]): boolean {
  return budgetsOf(pod, budgets).length < 2;
}

function budgetsOf(pod: Pod, budgets: readonly DisruptionBudget[]): readonly DisruptionBudget[] {
  return budgets.filter((budget) => isAbout(budget, pod));
}

/** A pod that is not Ready helps nobody, and its budget protects it all the same unless it says otherwise. */
function adviceOn({ isReady }: Pod, { spec }: DisruptionBudget): string {
  if (isReady || spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return '';
  return '; the pod itself is not Ready: `unhealthyPodEvictionPolicy: AlwaysAllow` in the budget would let it go';
}
