import type { Pass } from './pass.ts';

/** A Node whose kubelet has been silent for so long cannot answer, in milliseconds. */
const SILENT_MS = 60_000;

/**
 * From when on the Node of a machine counts as one that cannot answer, in milliseconds since the epoch; in the future where it has
 * been silent for less. Undefined: it answers.
 */
export function silentFrom({ seen: { node } }: Pass): number | undefined {
  if (node?.ready !== 'Unknown') return undefined;
  const since = Date.parse(node.readySince);
  return Number.isNaN(since) ? undefined : since + SILENT_MS;
}

export function isSilent(pass: Pass): boolean {
  return (silentFrom(pass) ?? Infinity) <= pass.nowMs;
}
