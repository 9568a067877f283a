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

/** Somebody asked not to wait for what is on the Node. */
export function isVolumeWaitSkipped({ seen: { machine } }: Pass): boolean {
  return machine.excludesDrain === true || (machine.deletionPolicy ?? 'graceful') !== 'graceful';
}
