import type { DrainPurpose } from '../../k8s/model/drain.ts';
import { endedDrainFrom } from './emptying.ts';
import type { Pass } from './pass.ts';

/** When a drain for this purpose began, as the status tells it, in milliseconds since the epoch; NaN: it does not. */
export function startOnRecord({ status, seen }: Pass, purpose: DrainPurpose = 'deletion'): number {
  // A wish for a reboot bears the time at which it was made.
  if (purpose === 'reboot') return Date.parse(seen.machine.rebootWish?.id ?? '');
  const { deletion, maintenanceDrainStartTime } = status;
  return Date.parse((purpose === 'deletion' ? deletion?.drainStartTime : maintenanceDrainStartTime) ?? '');
}

/**
 * When the drain began, in milliseconds since the epoch. A workflow before this one may have begun it: then its start is in the
 * status, and Deployments that it had rolled carry that time. Else it begins now.
 */
export function startOf(pass: Pass, purpose: DrainPurpose): number {
  const at = startOnRecord(pass, purpose);
  return Number.isNaN(at) ? pass.nowMs : Math.min(at, pass.nowMs);
}

/**
 * A drain for this purpose ended, and a later one is on record, or none: a pass that is lost took it back, and put that on record before it
 * opened the Node. Whoever closed the Node since has not emptied it. A beginning that is still to come tells nothing, nor does a wish without a
 * time.
 */
export function isTakenBack(pass: Pass, purpose: Exclude<DrainPurpose, 'deletion'>): boolean {
  const from = endedDrainFrom(pass, purpose);
  if (from === undefined) return false;
  const at = startOnRecord(pass, purpose);
  if (Number.isNaN(at)) return purpose === 'maintenance';
  return at > from && at <= pass.nowMs;
}

/** Notes in the status to be written when the drain began; true: just now. */
export function noteStart(pass: Pass, purpose: DrainPurpose, at: number): boolean {
  if (purpose === 'reboot') return true;
  if (startOnRecord(pass, purpose) === at) return false;
  const time = new Date(at).toISOString();
  if (purpose === 'deletion') pass.set({ deletion: { ...pass.status.deletion, drainStartTime: time } });
  else pass.set({ maintenanceDrainStartTime: time });
  return true;
}

/** The drain for a maintenance is over, or begins anew: the next one gets a start of its own. */
export function forgetMaintenanceStart(pass: Pass): void {
  const { maintenanceDrainStartTime: _over, ...status } = pass.status;
  pass.status = status;
}
