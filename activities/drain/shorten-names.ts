import type { Pod } from '../../k8s/model/pod.ts';
import type { SomeNames } from '../../workflows/machine/drain-activities.ts';

/** How many are named. */
const MOST = 3;

/** What a workflow is told of many: the first ones, and how many there are. */
export function shortenNames(names: readonly string[]): SomeNames {
  return { count: names.length, names: names.slice(0, MOST) };
}

export function shortenPodNames(pods: readonly Pod[]): SomeNames {
  return shortenNames(pods.map(({ namespace, name }) => `${namespace}/${name}`));
}
