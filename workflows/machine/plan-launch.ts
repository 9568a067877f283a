import { isOutcomeUnknown, isThrottledOnly, type LaunchRecord } from './launch-record.ts';
import type { MachineSettings } from './settings.ts';

export type LaunchStep =
  /**
   * Call the cloud; look the instance up first where an earlier call may have made it. `trustToken`: not even then, if the cloud
   * has tokens that make the repeat the same call.
   */
  | { readonly do: 'call'; readonly lookFirst: boolean; readonly trustToken?: true }
  /** Look the instance up. */
  | { readonly do: 'look' }
  /** This attempt made no instance, and that is proved. */
  | { readonly do: 'nextAttempt' }
  | { readonly do: 'wait'; readonly until: number };

/** Look-ups that must all have found nothing before something counts as absent. */
export const LOOKS_FOR_PROOF = 3;

/** What to do next about this attempt while the Machine is wanted. */
export function planLaunch(launch: LaunchRecord, now: number, settings: MachineSettings): LaunchStep {
  if (launch.waitUntil !== undefined && launch.waitUntil > now) return { do: 'wait', until: launch.waitUntil };
  if (launch.tokenTerminated) return { do: 'nextAttempt' };
  if (launch.firstCallAt === undefined) return { do: 'call', lookFirst: false };
  const mayRepeat =
    launch.settleOnly === undefined && !launch.refused && now - launch.firstCallAt < settings.repeatLimitSeconds * 1000;
  if (!mayRepeat) return planSettlement(launch, now, settings);
  return { do: 'call', lookFirst: true, ...(isThrottledOnly(launch, now, settings) ? { trustToken: true } : {}) };
}

/**
 * How an attempt is settled without calling again: proved void, or by look-ups that all found nothing and span the
 * consistency window, counted from the end of the newest call's time-out.
 */
export function planSettlement(launch: LaunchRecord, now: number, settings: MachineSettings): LaunchStep {
  if (!isOutcomeUnknown(launch)) return { do: 'nextAttempt' };
  const from = launch.callsEndAt ?? now;
  const proof = planAbsenceProof(launch.emptyLooks, from, settings.consistencyWindowSeconds * 1000);
  if (proof === 'proved') return { do: 'nextAttempt' };
  // A look before the calls have ended proves nothing, but it may find the instance early.
  return now >= proof || launch.emptyLooks.length === 0 ? { do: 'look' } : { do: 'wait', until: proof };
}

/** Most looks that are remembered. */
const MOST_LOOKS = 10;

/** The looks with one more. The first one stays, however many follow: it is where the window begins. */
export function withLook(looks: readonly number[], now: number): number[] {
  return looks.length < MOST_LOOKS ? [...looks, now] : [...looks.slice(0, 1), ...looks.slice(2), now];
}

/**
 * The rule by which "not found" becomes "does not exist": at least three looks, all answered, all empty, spread over
 * the window.
 *
 * @param looks when looks found nothing, oldest first, in milliseconds
 * @returns when the next look is due, or that no further one is needed
 */
export function planAbsenceProof(looks: readonly number[], from: number, windowMs: number): number | 'proved' {
  const counted = looks.filter((at) => at >= from);
  const last = counted.at(-1);
  if (counted.length >= LOOKS_FOR_PROOF && last !== undefined && last - from >= windowMs) return 'proved';
  const share = Math.min(counted.length, LOOKS_FOR_PROOF - 1) / (LOOKS_FOR_PROOF - 1);
  return from + windowMs * share;
}
