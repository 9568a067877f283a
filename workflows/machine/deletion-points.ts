import type { DeletionTimes } from '../../k8s/model/drain.ts';
import type { Pass } from './pass.ts';

/**
 * Notes, in the status to be written, that a point of the deletion is reached.
 *
 * @param at when that was, in milliseconds since the epoch: what the workflow remembers counts, as somebody may take it from the status
 * @returns true: the status did not tell it yet
 */
export function reach(pass: Pass, point: keyof DeletionTimes, at = pass.nowMs): boolean {
  const { deletion } = pass.status;
  if (deletion?.[point] !== undefined) return false;
  pass.set({ deletion: { ...deletion, [point]: new Date(at).toISOString() } });
  return true;
}

/** When a point was reached, in milliseconds since the epoch; now, where it was not, or where somebody wrote nonsense or a later time there. */
export function reachedAt(pass: Pass, point: keyof DeletionTimes): number {
  const at = Date.parse(pass.status.deletion?.[point] ?? '');
  return Number.isNaN(at) ? pass.nowMs : Math.min(at, pass.nowMs);
}

/** Drain and volumes are behind it: from the hooks before the end on, neither comes again. */
export function isPastDrain({ memory, status }: Pass): boolean {
  return memory.isEndAskedFor === true || status.deletion?.preTerminateHookStartTime !== undefined;
}

/** Why nobody waits for what is on the Node, where a person wants that: the end of a sentence. Undefined: it is waited for. */
export function whyDrainSkipped({ seen: { machine } }: Pass): string | undefined {
  if (machine.excludesDrain === true) return 'the annotation exclude-node-draining of the Machine asks for that';
  const { deletionPolicy = 'graceful' } = machine;
  return deletionPolicy === 'graceful' ? undefined : `the deletionPolicy of the Machine is ${deletionPolicy}`;
}

/** The same as yes or no. */
export function isDrainSkipped(pass: Pass): boolean {
  return whyDrainSkipped(pass) !== undefined;
}
