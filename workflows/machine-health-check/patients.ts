import { describeDuration } from '../../k8s/model/duration.ts';
import type { SeenCause, Suspect } from './health-activities.ts';
import type { Illness, SeenIllnesses } from './sightings.ts';
import { FLAPPING_TIMEOUTS } from './spells.ts';

/** A Machine that is not plainly healthy, with what is known of its causes. */
export interface Patient {
  readonly suspect: Suspect;
  readonly illnesses: readonly Illness[];
}

export function patientsOf(suspects: readonly Suspect[], { illnesses }: SeenIllnesses): Patient[] {
  return suspects.map((suspect) => ({ suspect, illnesses: illnesses.get(suspect.uid) ?? [] }));
}

/** What makes it unhealthy: a person's wish, or what did so first. Undefined: it is not unhealthy. */
export function worstOf({ illnesses }: Patient): Illness | undefined {
  return firstDue(illnesses.filter(({ isUnhealthy }) => isUnhealthy));
}

/** What is due first, whether it is yet or not. */
export function firstDue(illnesses: readonly Illness[]): Illness | undefined {
  const order = (a: Illness, b: Illness): number =>
    rank(a.cause) - rank(b.cause) || compare(a.dueAt, b.dueAt) || (a.cause.key < b.cause.key ? -1 : 1);
  return [...illnesses].sort(order)[0];
}

function rank({ kind }: SeenCause): number {
  return kind === 'wished' ? 0 : 1;
}

/** Also of two times that never come. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** Since when something bad of it has lasted for too long, in milliseconds since the epoch. Infinity: nothing has. */
export function unhealthySince({ illnesses }: Patient): number {
  return Math.min(...illnesses.filter(({ isUnhealthy }) => isUnhealthy).map(({ dueAt }) => dueAt));
}

/** Why it is remediated: `Ready of its Node is Unknown (NodeStatusUnknown) for 5 min`. */
export function describeIllness({ cause, since, isFlapping }: Illness, now: number): string {
  if (cause.timeoutMs === 0) return cause.words;
  if (cause.kind === 'neverJoined') return `${cause.words}, ${describeDuration(now - since)} ago`;
  if (isFlapping)
    return `${cause.words}, again and again: more than half of ${describeDuration(FLAPPING_TIMEOUTS * cause.timeoutMs)}`;
  return `${cause.words} for ${describeDuration(now - since)}`;
}

/** Why that is no suspicion, as the end of a sentence that says how it is unhealthy. Empty: nobody proved it, or its failure tells. */
export function describeProof(patient: Pick<Patient, 'suspect' | 'illnesses'>): string {
  const isTold = patient.suspect.isProved !== true || hasFailed(patient);
  return isTold ? '' : ', and the cloud says that its instance does not run';
}

/** Nothing but a deletion helps a Machine that has failed for good. */
export function hasFailed(patient: Pick<Patient, 'illnesses'>): boolean {
  return failureOf(patient) !== undefined;
}

/** That it has failed for good, which is told before all else that is wrong with it. Undefined: it has not. */
export function failureOf({ illnesses }: Pick<Patient, 'illnesses'>): Illness | undefined {
  return illnesses.find(({ cause, isUnhealthy }) => isUnhealthy && cause.kind === 'failed');
}

/** That it never joined, of a machine that was given up for that later: it is the same trouble, and not a new one. Undefined: it failed by itself. */
export function unjoinedBefore({ cause, since }: Illness, illnesses: readonly Illness[]): Illness | undefined {
  if (cause.kind !== 'failed') return undefined;
  return illnesses.find((one) => one.isUnhealthy && one.cause.kind === 'neverJoined' && one.dueAt <= since);
}

/** It is unhealthy, whatever a person wants. */
export function isIll({ illnesses }: Patient): boolean {
  return illnesses.some(({ cause, isUnhealthy }) => isUnhealthy && cause.kind !== 'wished');
}

/** A person wants it. */
export function isWished({ illnesses }: Patient): boolean {
  return illnesses.some(({ cause }) => cause.kind === 'wished');
}
