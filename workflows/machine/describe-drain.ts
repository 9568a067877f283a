import { joinNames, type SomeNames } from '../../k8s/model/some-names.ts';
import type { DrainReport } from './drain-activities.ts';

const UNPROVED = 'pods are asked to leave all the same: the cloud does not say that its instance is stopped';

/**
 * How a drain stands: for how many pods, what holds it up, and which it waits for.
 *
 * @param silentSince RFC 3339: since when the kubelet of the Node is not heard of. Absent: it is
 */
export function describeDrain({ node, counts, trouble, awaited }: DrainReport, silentSince?: string) {
  const { leaving, waiting, held } = counts;
  const parts = [
    [leaving, 'on their way out'],
    [held, 'not allowed to leave yet'],
    [waiting, 'that wait for others or for their own end'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  const pods =
    told.length === 0
      ? `Node ${node}: its last pods are gone, which is looked at once more`
      : `Node ${node}: pods are left, ${told.join(', ')}`;
  const message = [
    pods,
    ...(trouble === undefined ? [] : [trouble.message]),
    ...(awaited === undefined ? [] : [`waits for the end of ${namePods(awaited)}`]),
    ...(silentSince === undefined ? [] : [`its kubelet is not heard of since ${silentSince}, and ${UNPROVED}`]),
  ].join('; ');
  return { reason: trouble?.reason ?? ('Draining' as const), message };
}

export function namePods(pods: SomeNames): string {
  return pods.count === 0 ? 'no pods' : `pods ${joinNames(pods)}`;
}
