import { isAbout, type DisruptionBudget } from '../../k8s/model/disruption-budget.ts';
import type { Pod } from '../../k8s/model/pod.ts';

/**
 * What keeps the pod, in the budget's own numbers.
 *
 * @param budgets of the pod's namespace
 * @param words the API server's own, where no budget explains them
 */
export function describeBudget(pod: Pod, budgets: readonly DisruptionBudget[], words: string): string {
  const own = budgets.filter((budget) => isAbout(budget, pod));
  const [budget] = own;
  if (budget === undefined) return words;
  if (own.length > 1) {
    const names = own.map(({ metadata }) => metadata.name).join(' and ');
    return `the PodDisruptionBudgets ${names} both select it, and the Eviction API takes one only`;
  }
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  const numbers = `allows ${disruptionsAllowed} disruptions now (${currentHealthy} healthy, ${desiredHealthy} needed)`;
  return `PodDisruptionBudget ${budget.metadata.name} ${numbers}${adviceOn(pod, budget)}`;
}

/** A pod that is not Ready helps nobody, and its budget protects it all the same unless it says otherwise. */
function adviceOn({ isReady }: Pod, { spec }: DisruptionBudget): string {
  if (isReady || spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return '';
  return '; the pod itself is not Ready: `unhealthyPodEvictionPolicy: AlwaysAllow` in the budget would let it go';
}
