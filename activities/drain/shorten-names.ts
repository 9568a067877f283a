import type { Pod } from '../../k8s/model/pod.ts';
import { someOf, type SomeNames } from '../../k8s/model/some-names.ts';

/** How many are named. */
const MOST = 3;

/** What a workflow is told of many: the first ones, and how many there are. */
export function shortenNames(names: readonly string[]): SomeNames {
  return someOf(names, MOST);
}

export function shortenPodNames(pods: readonly Pod[]): SomeNames {
  return shortenNames(pods.map(({ namespace, name }) => `${namespace}/${name}`));
}
