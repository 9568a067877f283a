import type { DrainPurpose } from '../../k8s/model/drain.ts';
import { reach } from './deletion-points.ts';
import type { Pass } from './pass.ts';

/** When a drain for this purpose began, as the status tells it, in milliseconds since the epoch; NaN: it does not, or of one that was taken back. */
export function startOnRecord({ status, seen, memory }: Pass, purpose: DrainPurpose = 'deletion'): number {
  // A wish for a reboot bears the time at which it was made.
  if (purpose === 'reboot') return Date.parse(seen.machine.rebootWish?.id ?? '');
  const { deletion, maintenanceDrainStartTime } = status;
  const at = Date.parse((purpose === 'deletion' ? deletion?.drainStartTime : maintenanceDrainStartTime) ?? '');
  return isBeforeAbort(memory, at) ? Number.NaN : at;
}

/** What is told of then belongs to a deletion that was aborted since. Milliseconds since the epoch. */
export function isBeforeAbort({ abortedAt = -Infinity }: Pass['memory'], at: number): boolean {
  return at <= abortedAt;
}

/**
 * When the drain began, in milliseconds since the epoch. A workflow before this one may have begun it: then its start is in the
 * status, and Deployments that it had rolled carry that time. Else it begins now.
 */
export function startOf(pass: Pass, purpose: DrainPurpose): number {
  const at = startOnRecord(pass, purpose);
  return Number.isNaN(at) ? pass.nowMs : Math.min(at, pass.nowMs);
}

/** Notes in the status to be written when the drain began; true: just now. */
export function noteStart(pass: Pass, purpose: DrainPurpose, at: number): boolean {
  if (purpose === 'deletion') return reach(pass, 'drainStartTime', at);
  if (purpose === 'reboot') return true;
  if (startOnRecord(pass, purpose) === at) return false;
  pass.set({ maintenanceDrainStartTime: new Date(at).toISOString() });
  return true;
}

/** The drain for a maintenance is over, or begins anew: the next one gets a start of its own. */
export function forgetMaintenanceStart(pass: Pass): void {
  const { maintenanceDrainStartTime: _over, ...status } = pass.status;
  pass.status = status;
}
