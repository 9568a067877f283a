import { silentFrom as silentFromOf } from '../../k8s/model/node.ts';
import { drainFor } from './emptying.ts';
import { lookWhetherEnded, type Standstill } from './look-whether-ended.ts';
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
 * Whether nothing runs on a Node that cannot answer. A deletion that can still be aborted evicts all the same: nobody could give
 * back what Kubernetes takes away.
 */
export async function lookAtSilentNode(pass: Pass): Promise<Standstill | undefined> {
  if (pass.seen.machine.deletedAt === undefined || !isSilent(pass)) return undefined;
  return lookWhetherEnded(pass, drainFor(pass, 'deletion'), silentFrom(pass));
}
