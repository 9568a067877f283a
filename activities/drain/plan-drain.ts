import { SILENT_MS } from '../../k8s/model/node.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import type { ForceTimes, PodNotes, Spares } from '../../workflows/machine/drain-activities.ts';
import { endsByItself, isToStay, type PodChoice } from './choose-pods.ts';

/** A pod whose containers have all ended holds nothing up when it is still there so long after its end was due. Milliseconds. */
const STUCK_MS = 60_000;
/** Least time from the request to evict a pod to its deletion, in milliseconds. */
const ASKED_MS = 30_000;
/** How long before its deletion a pod's eviction is asked for at the latest: the answer takes a moment. Milliseconds. */
const ASKED_BEFORE_MS = ASKED_MS + 2000;
/** A pod that would end later after the deadline than this is asked to end earlier, in milliseconds. */
const LATE_MS = 1000;
/** Between two looks at pods that are on their way, in milliseconds. */
const LOOK_MS = { least: 1000, most: 10_000 } as const;
/** The same where the drain's time is over, and each pod should have ended: nobody knows when they do, and the watch of pods tells. */
const OVERDUE_MS = 300_000;
/** The same for pods of which nobody knows when they end: a tenth of the time that the drain lasts, within these. */
const AWAIT_MS = { least: 15_000, most: 300_000 } as const;
/** The same, at most, where pods are asked to go. */
const ASKING_MS = 30_000;

export interface DrainState {
  readonly choices: readonly PodChoice[];
  readonly notes: PodNotes;
  readonly now: number;
  /** The Node does not answer: nobody there ends what was asked to end. */
  readonly isUnreachable: boolean;
  readonly force?: ForceTimes;
  /** It goes on at the deadline, until no pod is left. @default it ends there */
  readonly goesOn?: boolean;
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
  const going = state.choices.filter(({ part }) => !isToStay(part));
  const left = going.filter(({ pod }) => !isAbandoned(pod, state));
  const over = going.filter(({ pod }) => isAbandoned(pod, state));
  const returned = state.choices.filter(({ part }) => part === 'return');
  const isOrdinaryLeft = left.some(({ pod }) => !pod.isSystemCritical);
  const steps = left.map((choice) => ({ pod: choice.pod, step: stepFor(choice, state, isOrdinaryLeft) }));
  return {
    evict: steps.filter(({ step }) => step === 'evict').map(({ pod }) => pod),
    remove: steps.flatMap(({ pod, step }) => (typeof step === 'object' ? [{ pod, ...step }] : [])),
    left: left.map(({ pod }) => pod),
    abandoned: [...returned, ...over].map(({ pod }) => pod),
  };
}

type Step = 'wait' | 'evict' | { readonly graceSeconds: number };

function stepFor({ pod, part }: PodChoice, state: DrainState, isOrdinaryLeft: boolean): Step {
  const { now, force, notes, goesOn } = state;
  const note = notes[pod.uid];
  const askedAt = pod.askedToEndAt ?? note?.askedAt;
  if (force !== undefined && now >= deletedFrom(pod, force)) {
    // One whose time comes only after the deadline is left there, however late the pass comes that is the last.
    const isInTime = askedAt !== undefined && (goesOn || askedAt + ASKED_MS <= force.deadline);
    const isDue = isInTime && now >= askedAt + ASKED_MS;
    const endsInTime = pod.endsAt !== undefined && pod.endsAt <= Math.max(force.deadline, now) + LATE_MS;
    if (isDue && !endsInTime) return { graceSeconds: graceSeconds(pod, force.deadline - now) };
  }
  if (pod.endsAt !== undefined) return 'wait';
  if (note !== undefined && note.until > now) return 'wait';
  // It is asked before it is deleted, whatever it waits for.
  if (force !== undefined && now >= deletedFrom(pod, force) - ASKED_BEFORE_MS) return 'evict';
  if (isUnheard(pod, now)) return 'wait';
  if (note !== undefined) return 'evict';
  const hasToWait = endsByItself(part) || (pod.isSystemCritical && isOrdinaryLeft);
  return hasToWait ? 'wait' : 'evict';
}

/**
 * Its Node is not heard since a moment ago: it may serve all the same, and the Eviction API lets it go beside its budget. It is asked to go
 * when the Node counts as one that cannot answer. Where a clock is wrong, that holds nothing up for longer.
 */
export function isUnheard({ unheardFrom }: Pod, now: number): boolean {
  return unheardFrom !== undefined && Math.abs(now - unheardFrom) < SILENT_MS;
}

/** So early that the pod's grace period ends at the deadline, but not before pods may be deleted at all. */
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

interface LeftState extends Pick<DrainState, 'notes' | 'now' | 'force'> {
  /** When the drain began. */
  readonly startedAt: number;
  readonly spares?: Spares;
}

/** When the next pass has something to do or to see, where these pods are left. Where none is, it has to see that for itself. */
export function nextPassAt(left: readonly PodChoice[], state: LeftState): number {
  const { now, force, spares } = state;
  if (left.length === 0) return now + LOOK_MS.least;
  const isOver = force !== undefined && now >= force.deadline;
  if (isOver && left.every(({ pod }) => (pod.endsAt ?? Infinity) <= now)) return now + OVERDUE_MS;
  const isAwaiting = left.some(({ part }) => endsByItself(part));
  const moments = left.flatMap(({ pod }) => (force === undefined ? [] : forceMoments(pod, force, state.notes)));
  const times = [
    ...left.map(({ pod }) => soonOf(pod, isAwaiting, state)),
    ...[...moments, spares?.until ?? Infinity].filter((at) => at > now),
    ...(isAwaiting ? [] : [now + ASKING_MS]),
  ];
  return Math.max(now + LOOK_MS.least, Math.min(...times));
}

/** @param isAwaiting others are waited for that end by themselves */
function soonOf(pod: Pod, isAwaiting: boolean, { notes, now, startedAt }: LeftState): number {
  const { endsAt, askedToEndAt = now } = pod;
  // The longer it takes, the more seldom it is looked at.
  if (endsAt !== undefined) return now + Math.min(Math.max(now - askedToEndAt, LOOK_MS.least), LOOK_MS.most);
  if (pod.unheardFrom !== undefined && isUnheard(pod, now)) return pod.unheardFrom + SILENT_MS;
  const note = notes[pod.uid];
  if (note !== undefined) return note.until;
  if (!isAwaiting) return now + LOOK_MS.most;
  return now + Math.min(Math.max((now - startedAt) / 10, AWAIT_MS.least), AWAIT_MS.most);
}

function forceMoments(pod: Pod, force: ForceTimes, notes: PodNotes): number[] {
  const from = deletedFrom(pod, force);
  const askedAt = pod.askedToEndAt ?? notes[pod.uid]?.askedAt;
  const next = askedAt === undefined ? from - ASKED_BEFORE_MS : Math.max(from, askedAt + ASKED_MS);
  return [next, force.deadline];
}
