import { DRAINING } from '../../k8s/model/node.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { tolerates } from '../../k8s/model/taint.ts';

/**
 * What a drain does with a pod: nothing, evict it, or wait until it has ended by itself; `spare`: so it does because the pod asks not to be
 * disrupted, and not because it asks drains to wait.
 */
export type PodPart = 'leave' | 'evict' | 'await' | 'spare';

export interface PodChoice {
  readonly pod: Pod;
  readonly part: PodPart;
}

/**
 * What becomes of the pods of a Node that is drained. Pods without a controller and those with data on the Node are evicted as
 * well, as the Machine API does.
 *
 * @param daemonSets uids of those DaemonSets of the pods that exist
 * @param isSparing pods that ask not to be disrupted are waited for, and not evicted
 */
export function choosePods(pods: readonly Pod[], daemonSets: ReadonlySet<string>, isSparing = false): PodChoice[] {
  return pods.map((pod) => ({ pod, part: partOf(pod, daemonSets, isSparing) }));
}

/** The same, when all others have left: pods of DaemonSets go that do not tolerate the taint that keeps new ones away. */
export function chooseDaemonPods(pods: readonly Pod[], daemonSets: ReadonlySet<string>): PodChoice[] {
  return pods.map((pod) => {
    const isGoing = isOfDaemonSet(pod, daemonSets) && !pod.isMirror && pod.drain === undefined;
    return { pod, part: isGoing && !tolerates(pod.tolerations, DRAINING) ? 'evict' : 'leave' };
  });
}

function partOf(pod: Pod, daemonSets: ReadonlySet<string>, isSparing: boolean): PodPart {
  if (pod.isMirror || pod.drain === 'skip' || isOfDaemonSet(pod, daemonSets)) return 'leave';
  if (pod.isFinished) return 'evict';
  if (pod.drain === 'wait-completed') return 'await';
  return isSparing && pod.isNotToBeDisrupted ? 'spare' : 'evict';
}

/** Nothing is asked of it: it is to end by itself. */
export function endsByItself(part: PodPart): boolean {
  return part === 'await' || part === 'spare';
}

/** It runs, and its DaemonSet would bring it back at once, also to a Node that is cordoned. */
function isOfDaemonSet({ isFinished, controller }: Pod, daemonSets: ReadonlySet<string>): boolean {
  return !isFinished && controller?.kind === 'DaemonSet' && daemonSets.has(controller.uid);
}

/** Those that a drain leaves alone. */
export function stayingOf(choices: readonly PodChoice[]): Pod[] {
  return choices.filter(({ part }) => part === 'leave').map(({ pod }) => pod);
}
