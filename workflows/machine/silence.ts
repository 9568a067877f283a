import { silentFrom as silentFromOf, unknownSince as unknownSinceOf } from '../../k8s/model/node.ts';
import { drainFor } from './emptying.ts';
import { isStopping, lookWhetherEnded, nextLookAt, type Standstill } from './look-whether-ended.ts';
import type { Pass } from './pass.ts';

/**
 * From when on the Node of a machine counts as one that cannot answer, in milliseconds since the epoch; in the future where it has
 * been silent for less. Undefined: it answers.
 */
export function silentFrom({ seen: { node } }: Pass): number | undefined {
  return silentFromOf(node?.ready, node?.readySince);
}

export function isSilent(pass: Pass): boolean {
  return (silentFrom(pass) ?? Infinity) <= pass.nowMs;
}

/**
 * Whether nothing runs on a Node whose kubelet is not heard of, however short a time: an instance that the cloud says is stopped is proof,
 * and its silence is not. A deletion that can still be aborted evicts all the same: nobody could give back what Kubernetes takes away.
 */
export async function lookAtSilentNode(pass: Pass): Promise<Standstill | undefined> {
  const since = mayStandStillSince(pass);
  return since === undefined ? undefined : lookWhetherEnded(pass, drainFor(pass, 'deletion'), since);
}

/** When the instance of such a Node is looked at again that is about to stand still, in milliseconds since the epoch. */
export function nextSilentLookAt(pass: Pass): number | undefined {
  if (mayStandStillSince(pass) === undefined || !isStopping(pass)) return undefined;
  return nextLookAt(pass, drainFor(pass, 'deletion'));
}

function mayStandStillSince({ seen: { machine, node } }: Pass): number | undefined {
  return machine.deletedAt === undefined ? undefined : unknownSinceOf(node?.ready, node?.readySince);
}
