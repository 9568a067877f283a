import { DRAINING } from '../../k8s/model/node.ts';
import type { Taint } from '../../k8s/model/machine.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { tolerates } from '../../k8s/model/taint.ts';

/**
 * What a drain does with a pod: nothing, evict it, or wait until it has ended by itself; `spare`: so it does because the pod asks not to be
 * disrupted, and not because it asks drains to wait; `return`: nothing, since it came after the cordon, which it tolerates: whoever made it
 * would make another one there.
 */
export type PodPart = 'leave' | 'return' | 'evict' | 'await' | 'spare';

/** The drain that pods are chosen for. */
interface Drained {
  /** Pods that ask not to be disrupted are waited for, and not evicted. @default they are evicted as any other */
  readonly isSparing?: boolean;
  /** When the Node was cordoned, in milliseconds since the epoch. @default it is not known: all pods were there before */
  readonly cordonedAt?: number;
}

/** The taint that Kubernetes gives a cordoned Node. */
const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export interface PodChoice {
  readonly pod: Pod;
  readonly part: PodPart;
}

/**
 * What becomes of the pods of a Node that is drained. Pods without a controller and those with data on the Node are evicted as
 * well, as the Machine API does.
 *
 * @param daemonSets uids of those DaemonSets of the pods that exist
 */
export function choosePods(pods: readonly Pod[], daemonSets: ReadonlySet<string>, drained: Drained = {}): PodChoice[] {
  return pods.map((pod) => ({ pod, part: partOf(pod, daemonSets, drained) }));
}

/** The same, when all others have left: pods of DaemonSets go that do not tolerate the taint that keeps new ones away. */
export function chooseDaemonPods(pods: readonly Pod[], daemonSets: ReadonlySet<string>): PodChoice[] {
  return pods.map((pod) => {
    const isGoing = isOfDaemonSet(pod, daemonSets) && !pod.isMirror && pod.drain === undefined;
    return { pod, part: isGoing && !tolerates(pod.tolerations, DRAINING) ? 'evict' : 'leave' };
  });
}

function partOf(pod: Pod, daemonSets: ReadonlySet<string>, { isSparing, cordonedAt = Infinity }: Drained): PodPart {
  if (pod.isMirror || pod.drain === 'skip' || isOfDaemonSet(pod, daemonSets)) return 'leave';
  if (pod.isFinished) return 'evict';
  if (pod.createdAt > cordonedAt && tolerates(pod.tolerations, CORDONED)) return 'return';
  if (pod.drain === 'wait-completed') return 'await';
  return isSparing === true && pod.isNotToBeDisrupted ? 'spare' : 'evict';
}

/** It goes when the Node does, and not before. */
export function isToStay(part: PodPart): boolean {
  return part === 'leave' || part === 'return';
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
  return choices.filter(({ part }) => isToStay(part)).map(({ pod }) => pod);
}
