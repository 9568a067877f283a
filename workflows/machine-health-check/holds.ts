import { describeDuration } from '../../k8s/model/duration.ts';
import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { given } from '../../providers/given.ts';
import type { Away } from './away.ts';
import type { FoundCheck } from './health-activities.ts';
import type { HealthMemory, SetAside } from './health-memory.ts';
import { whyAnothers, whyAutoscalersTurn, whyNotOurs, whyNotReplaced, type Hold } from './left-alone.ts';
import { firstDue, unjoinedBefore, worstOf, type Patient } from './patients.ts';
import type { Illness } from './sightings.ts';
import type { RecentOutage } from './recent-outage.ts';
import { stormOver, type Storms } from './storms.ts';
import type { UnhealthyLimit } from './too-many.ts';

/** How often it is looked whether a template is there that was not, in milliseconds. */
export const TEMPLATE_LOOK_MS = 60_000;

/** All that holds steps back, but for the pace. */
export interface Holds {
  readonly seen: FoundCheck;
  /** Of the check. */
  readonly uid: string;
  readonly now: number;
  readonly away: readonly Away[];
  readonly limit: UnhealthyLimit;
  readonly outage: RecentOutage | undefined;
  readonly storms: Storms;
  readonly setAside: HealthMemory['setAside'];
}

/**
 * Why a step is not taken now, though the machine is unhealthy. Undefined: nothing speaks against it.
 *
 * @param isUnderWay an earlier step was taken for it: that it is annotated for another program was our doing
 */
export function whyHeld(
  { seen, uid, now, away, limit, outage, storms, setAside }: Holds,
  patient: Patient,
  step: RemediationStep,
  isUnderWay: boolean,
): Hold | undefined {
  return (
    whyNotOurs(patient, uid, now) ??
    (isUnderWay ? undefined : whyAnothers(patient, uid)) ??
    whyNotReplaced(patient.suspect, step) ??
    whyAutoscalersTurn(patient, seen, { away, now }) ??
    whyCheckWaits({ seen, now, setAside }, patient, step) ??
    (outage && whyUnknown(outage)) ??
    whyDoubted({ limit, storms }, patient) ??
    whyNotIll(patient)
  );
}

/** The same for a step that is due later, at `now`, by what is known by now: how many are unhealthy then, and what storms there are, nobody knows. */
export function whyHeldLater(
  { seen, uid, now, outage, setAside }: Holds,
  patient: Patient,
  step: RemediationStep,
): Hold | undefined {
  return (
    whyNotOurs(patient, uid, now) ??
    whyAnothers(patient, uid) ??
    whyNotReplaced(patient.suspect, step) ??
    whyCheckWaits({ seen, now, setAside }, patient, step) ??
    (outage !== undefined && outage.until > now ? whyUnknown(outage) : undefined)
  );
}

function whyCheckWaits(
  { seen, now, setAside }: Pick<Holds, 'seen' | 'now' | 'setAside'>,
  { suspect }: Patient,
  step: RemediationStep,
): Hold | undefined {
  return whySetAside(setAside[suspect.uid], now) ?? whyNoTemplate(seen, step, now) ?? whyAtRest(seen);
}

function whyUnknown({ until }: RecentOutage): Hold {
  return { words: 'for the control plane to know again which Nodes answer (ApiServerAway)', until };
}

function whyAtRest({ isDeleting, paused }: FoundCheck): Hold | undefined {
  if (isDeleting === true) return { words: 'for another health check: this one is being deleted' };
  return paused ? { words: 'until the check is not paused any more' } : undefined;
}

/**
 * What is wrong with many is likelier to be somebody else's trouble. It holds what has not begun, and takes back a reboot that the cloud
 * was not called for yet.
 */
export function whyDoubted({ limit, storms }: Pick<Holds, 'limit' | 'storms'>, patient: Patient): Hold | undefined {
  if (limit.brake === undefined) return whyStorm(storms, patient);
  return {
    words: `until ${limit.brake.reason === 'TooFewUnhealthy' ? 'more' : 'fewer'} machines are unhealthy (RemediationAllowed)`,
  };
}

/** Nobody tells when the template comes. */
function whyNoTemplate({ templateProblem }: FoundCheck, { action }: RemediationStep, now: number): Hold | undefined {
  if (templateProblem === undefined || action !== 'Template') return undefined;
  const words = `for its template (ExternalRemediationTemplateAvailable): ${templateProblem}`;
  return { words, until: now + TEMPLATE_LOOK_MS };
}

function whySetAside(aside: SetAside | undefined, now: number): Hold | undefined {
  if (aside === undefined || aside.until <= now) return undefined;
  return { words: `for the next try, and others come first: ${aside.message}`, until: aside.until };
}

/** What makes it unhealthy, and is not part of a storm; that it was given up as one that never joined is part of the storm of these. */
export function treatable({ suspect, illnesses }: Patient, storms: Storms): Patient {
  const isOfStorm = ({ cause }: Illness): boolean => stormOver(storms, suspect, cause) !== undefined;
  const isHeld = (illness: Illness): boolean => isOfStorm(unjoinedBefore(illness, illnesses) ?? illness);
  return { suspect, illnesses: illnesses.filter((illness) => illness.isUnhealthy && !isHeld(illness)) };
}

/** A step was taken for it, and what is bad by now is so since a short while, or nothing is. */
function whyNotIll(patient: Patient): Hold | undefined {
  if (worstOf(patient) !== undefined) return undefined;
  const first = firstDue(patient.illnesses);
  if (first === undefined) return { words: 'until something of it is bad for too long' };
  const words = `until that has lasted for ${describeDuration(first.cause.timeoutMs)}`;
  return { words, ...given({ until: Number.isFinite(first.dueAt) ? first.dueAt : undefined }) };
}

/** When the storm is over is looked at anyway. */
function whyStorm(storms: Storms, patient: Patient): Hold | undefined {
  if (worstOf(patient) === undefined || treatable(patient, storms).illnesses.length > 0) return undefined;
  return { words: 'until the storm is over, or somebody says `millwright healthcheck proceed NAME` (StormSuspected)' };
}
