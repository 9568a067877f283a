import type { Pod } from '../../k8s/model/pod.ts';
import type { ForceTimes, PodNotes } from '../../workflows/machine/drain-activities.ts';
import type { PodChoice } from './choose-pods.ts';

/** A pod that is still there so long after its time was over, with none of its containers running, holds up nothing. Milliseconds. */
const STUCK_MS = 60_000;
/** The eviction of a pod was asked for at least so long before it is deleted, in milliseconds. */
const ASKED_MS = 30_000;
/** It is asked for so long before, as the answer takes a moment, in milliseconds. */
const ASKED_BEFORE_MS = ASKED_MS + 2000;
/** How far a pod's end may lie behind the deadline before it is asked to end earlier, in milliseconds. */
const LATE_MS = 1000;
/** Between two looks at pods that are on their way, in milliseconds. */
const LOOK_MS = { least: 1000, most: 10_000 } as const;
/** The same where the time is over, and that of each of them to end: nobody knows when they do, and their watch tells. */
const OVERDUE_MS = 300_000;
/** The same for pods of which nobody knows when they end. */
const AWAIT_MS = 15_000;

export interface DrainState {
  readonly choices: readonly PodChoice[];
  readonly notes: PodNotes;
  readonly now: number;
  /** Nobody on the Node answers: what was asked to end there can not be seen to. */
  readonly isUnreachable: boolean;
  readonly force?: ForceTimes;
}

export interface DrainPlan {
  /** Evictions to ask for now. */
  readonly evict: readonly Pod[];
  /** Pods to delete now, with the time that each is given. */
  readonly remove: readonly { readonly pod: Pod; readonly graceSeconds: number }[];
  /** Every pod that has to go yet, these among them. */
  readonly left: readonly Pod[];
  /** They are there still, and not waited for. */
  readonly abandoned: readonly Pod[];
}

/** What one pass of a drain does: ordinary pods first, then critical ones, each when its own time has come. */
export function planDrain(state: DrainState): DrainPlan {
  const going = state.choices.filter(({ part }) => part !== 'leave');
  const abandoned = going.filter(({ pod }) => isAbandoned(pod, state)).map(({ pod }) => pod);
  const left = going.filter(({ pod }) => !abandoned.includes(pod));
  const isOrdinaryLeft = left.some(({ pod }) => !pod.isSystemCritical);
  const steps = left.map((choice) => ({ pod: choice.pod, step: stepFor(choice, state, isOrdinaryLeft) }));
  return {
    evict: steps.filter(({ step }) => step === 'evict').map(({ pod }) => pod),
    remove: steps.flatMap(({ pod, step }) => (typeof step === 'object' ? [{ pod, ...step }] : [])),
    left: left.map(({ pod }) => pod),
    abandoned,
  };
}

type Step = 'wait' | 'evict' | { readonly graceSeconds: number };

function stepFor({ pod, part }: PodChoice, state: DrainState, isOrdinaryLeft: boolean): Step {
  const { now, force, notes } = state;
  const note = notes[pod.uid];
  const askedAt = pod.askedToEndAt ?? note?.askedAt;
  if (force !== undefined && now >= deletedFrom(pod, force)) {
    const isDue = askedAt !== undefined && now >= askedAt + ASKED_MS;
    const endsInTime = pod.endsAt !== undefined && pod.endsAt <= Math.max(force.deadline, now) + LATE_MS;
    if (isDue && !endsInTime) return { graceSeconds: graceSeconds(pod, force.deadline - now) };
  }
  if (pod.endsAt !== undefined) return 'wait';
  if (note !== undefined) return note.until > now ? 'wait' : 'evict';
  // Whatever it waits for: it is asked before it is deleted.
  if (force !== undefined && now >= deletedFrom(pod, force) - ASKED_BEFORE_MS) return 'evict';
  const hasToWait = part === 'await' || (pod.isSystemCritical && isOrdinaryLeft);
  return hasToWait ? 'wait' : 'evict';
}

/** So early that its own grace period ends with the deadline, but not before the time for that. */
function deletedFrom({ graceMs }: Pod, { from, deadline }: ForceTimes): number {
  return Math.max(deadline - graceMs, from);
}

function graceSeconds({ graceMs }: Pod, leftMs: number): number {
  return Math.max(1, Math.floor(Math.min(graceMs, leftMs) / 1000));
}

function isAbandoned({ endsAt, hasEnded }: Pod, { now, isUnreachable }: DrainState): boolean {
  if (endsAt === undefined) return false;
  return isUnreachable || (hasEnded && now >= endsAt + STUCK_MS);
}

/** When the next pass has something to do or to see, where these pods are left; of none it remains to be seen that none is. */
export function nextPassAt(left: readonly PodChoice[], { notes, now, force }: Omit<DrainState, 'choices'>): number {
  if (left.length === 0) return now + LOOK_MS.least;
  const isOver = force !== undefined && now >= force.deadline;
  if (isOver && left.every(({ pod }) => (pod.endsAt ?? Infinity) <= now)) return now + OVERDUE_MS;
  const times = left.flatMap(({ pod, part }) => [
    soonOf(pod, part, notes, now),
    ...(force === undefined ? [] : forceMoments(pod, force, notes).filter((at) => at > now)),
  ]);
  return Math.max(now + LOOK_MS.least, Math.min(...times, now + AWAIT_MS * 2));
}

function soonOf(pod: Pod, part: PodChoice['part'], notes: PodNotes, now: number): number {
  const { endsAt, askedToEndAt = now } = pod;
  // The longer it takes, the more seldom it is looked at.
  if (endsAt !== undefined) return now + Math.min(Math.max(now - askedToEndAt, LOOK_MS.least), LOOK_MS.most);
  const note = notes[pod.uid];
  if (note !== undefined) return note.until;
  return now + (part === 'await' ? AWAIT_MS : LOOK_MS.most);
}

function forceMoments(pod: Pod, force: ForceTimes, notes: PodNotes): number[] {
  const from = deletedFrom(pod, force);
  const askedAt = pod.askedToEndAt ?? notes[pod.uid]?.askedAt;
  const next = askedAt === undefined ? from - ASKED_BEFORE_MS : Math.max(from, askedAt + ASKED_MS);
  return [next, force.deadline];
}
