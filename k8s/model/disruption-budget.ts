import { selects } from '../selector.ts';
import type { LabelSelector } from './machine-set.ts';
import type { Pod } from './pod.ts';

/** A PodDisruptionBudget, as far as it is read here. */
export interface DisruptionBudget {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec?: { readonly selector?: LabelSelector; readonly unhealthyPodEvictionPolicy?: string };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
  };
}

/** Whether the budget is about the pod. An empty selector is about every pod of the namespace, a missing one about none. */
export function isAbout({ metadata, spec }: DisruptionBudget, { namespace, labels }: Pod): boolean {
  const { selector } = spec ?? {};
  if (metadata.namespace !== namespace || selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.keys(matchLabels).length + matchExpressions.length === 0 || selects(selector, labels);
}
