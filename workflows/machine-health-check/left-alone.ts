import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { hasLastedAt } from '../spans.ts';
import type { Away } from './away.ts';
import type { FoundCheck, Suspect } from './health-activities.ts';
import { isWished, type Patient } from './patients.ts';
import { isSkipped } from './skip.ts';

/** So long cluster-autoscaler may turn to another set, in milliseconds. */
const AUTOSCALERS_TURN_MS = 600_000;

/** Why something is not done now: the rest of a sentence that begins with "waits". */
export interface Hold {
  readonly words: string;
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly until?: number;
  /** When the step itself is due, in milliseconds since the epoch; absent: it is, or it is when this ends. */
  readonly dueAt?: number;
}

/** Somebody else sees to it, or is to be asked first. Undefined: it is ours. */
export function whyNotOurs({ suspect }: Patient, uid: string, now: number): Hold | undefined {
  const { skip, claim, pausedBy } = suspect;
  if (suspect.isDeleting === true) return { words: 'until it is gone: it is being deleted' };
  if (pausedBy !== undefined) return { words: `until the pause is over: ${pausedBy} is paused` };
  if (skip !== undefined && isSkipped(skip, now)) {
    const until = Date.parse(skip);
    const words =
      skip === ''
        ? 'until nobody wants it left alone any more (its annotation skip-remediation names no time)'
        : `until ${skip}: somebody wants it left alone until then (its annotation skip-remediation)`;
    // What is no time does not end.
    return Number.isNaN(until) ? { words } : { words, until };
  }
  if (claim !== undefined && claim.uid !== uid)
    return { words: `for the health check ${claim.name}, which sees to it` };
  return undefined;
}

/** Another program remedies it. One that we annotated for that is ours still. */
export function whyAnothers({ suspect }: Patient, uid: string): Hold | undefined {
  return suspect.isExternal === true && suspect.claim?.uid !== uid
    ? { words: 'for another program, which remedies it' }
    : undefined;
}

/** A Machine for which the cloud has no room: cluster-autoscaler may find some elsewhere, and goes by this Machine. */
export function whyAutoscalersTurn(
  patient: Patient,
  { sets }: Pick<FoundCheck, 'sets'>,
  { away, now }: { readonly away: readonly Away[]; readonly now: number },
): Hold | undefined {
  const { lacksRoom, set } = patient.suspect;
  // At its least size cluster-autoscaler takes no machine away.
  const isItsTurn = lacksRoom === true && set !== undefined && sets[set.uid]?.mayBeScaledDown === true;
  if (!isItsTurn || isWished(patient)) return undefined;
  const failed = patient.illnesses.filter(({ cause }) => cause.kind === 'failed').map(({ since }) => since);
  const until = hasLastedAt(Math.min(...failed), AUTOSCALERS_TURN_MS, away);
  const words = 'for cluster-autoscaler, which may turn to a set for which the cloud has room';
  if (failed.length === 0 || until <= now) return undefined;
  return until === Infinity ? { words } : { words, until, dueAt: until };
}

/** Nobody would make another one in its stead. */
export function whyNotReplaced({ set }: Suspect, { action }: RemediationStep): Hold | undefined {
  if (action !== 'Replace' || set !== undefined) return undefined;
  return { words: 'for a person: no controller owns it, so that nobody would make another one' };
}
