import { isDue } from '../retry.ts';
import { given } from '../../providers/given.ts';
import { planAbsenceProof } from './absence-proof.ts';
import { isOutcomeUnknown, isThrottledOnly, windowMsOf, type LaunchRecord } from './launch-record.ts';
import type { MachineSettings } from './settings.ts';

export type LaunchStep =
  /**
   * Call the cloud; look the instance up first where an earlier call may have made it. `trustToken`: not even then, because
   * the token makes the repeat the same call.
   */
  | { readonly do: 'call'; readonly lookFirst: boolean; readonly trustToken?: true }
  /** Look the instance up. */
  | { readonly do: 'look' }
  /** This attempt made no instance, and that is proved. */
  | { readonly do: 'nextAttempt' }
  | { readonly do: 'wait'; readonly until: number };

/** What to do next about this attempt while the Machine is wanted. Only an attempt with a token is ever called twice. */
export function planLaunch(launch: LaunchRecord, now: number, settings: MachineSettings): LaunchStep {
  const { retry } = launch;
  if (retry !== undefined && !isDue(retry, now)) return { do: 'wait', until: retry.until };
  if (launch.tokenTerminated) return { do: 'nextAttempt' };
  if (launch.firstCallAt === undefined) return { do: 'call', lookFirst: false };
  const mayRepeat =
    launch.settleOnly === undefined && !launch.refused && now - launch.firstCallAt < settings.repeatLimitSeconds * 1000;
  if (!mayRepeat) return planSettlement(launch, now, settings);
  return { do: 'call', lookFirst: true, ...given({ trustToken: isThrottledOnly(launch, now, settings) || undefined }) };
}

/**
 * How an attempt is settled without calling again: proved void, or by look-ups that all found nothing and span the
 * consistency window, the first of them made when no call can take effect any more.
 */
export function planSettlement(launch: LaunchRecord, now: number, settings: MachineSettings): LaunchStep {
  if (!isOutcomeUnknown(launch)) return { do: 'nextAttempt' };
  const proof = planAbsenceProof(launch.emptyLooks, launch.callsEndAt ?? now, windowMsOf(settings));
  if (proof === 'proved') return { do: 'nextAttempt' };
  // A look before the calls have ended proves nothing, but it may find the instance early.
  return now >= proof || launch.emptyLooks.length === 0 ? { do: 'look' } : { do: 'wait', until: proof };
}
