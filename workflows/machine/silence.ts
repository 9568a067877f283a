import { silentFrom as silentFromOf } from '../../k8s/model/node.ts';
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
