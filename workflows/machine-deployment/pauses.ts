import { hasLastedAt } from '../spans.ts';
import { conditionOf, type Condition } from '../../k8s/model/condition.ts';

/** A time in which a deployment was paused, or nobody looked at it, in milliseconds since the epoch. */
export interface Pause {
  readonly from: number;
  /** Absent: it is paused still. */
  readonly to?: number;
}

/** What a look at the deployment says of it. */
export interface PauseSight {
  /** By whatever. */
  readonly isPaused: boolean;
  /** As stored. */
  readonly conditions?: readonly Condition[];
}

/** Of one deployment; earlier ones are forgotten. */
const MOST_KEPT = 20;

/**
 * What is known of a deployment's pauses after one more look, the earliest first.
 *
 * @param now milliseconds since the epoch
 */
export function pausesAfter(
  known: readonly Pause[],
  { isPaused, conditions }: PauseSight,
  now: number,
): readonly Pause[] {
  const last = known.at(-1);
  const isOpen = last !== undefined && last.to === undefined;
  if (isPaused === isOpen) return known;
  if (isOpen) return [...known.slice(0, -1), { from: last.from, to: Math.max(last.from, now) }];
  const from = Math.max(last?.to ?? 0, pausedSince(conditions) ?? now);
  return [...known, { from }].slice(-MOST_KEPT);
}

/** So late a look shows that nobody looked meanwhile, in milliseconds. */
const LATE_MS = 30_000;
/** So long the machines' own workflows have then, to see what came of them, in milliseconds. */
const CATCH_UP_MS = 60_000;

/** The same, where the last look was due long before this one: what became of Machines meanwhile nobody has seen. */
export function withLateLook(known: readonly Pause[], dueAt: number | undefined, now: number): readonly Pause[] {
  const last = known.at(-1);
  const isOpen = last !== undefined && last.to === undefined;
  if (dueAt === undefined || isOpen || now - dueAt < LATE_MS) return known;
  // What was due then was not late yet.
  const from = Math.max(last?.to ?? 0, dueAt - 1);
  return [...known, { from, to: now + CATCH_UP_MS }].slice(-MOST_KEPT);
}

/**
 * What is known at the first look of a workflow, before which there may have been another one: what became of Machines until now nobody
 * knows any more.
 *
 * @param isNew nobody has acted on the deployment yet
 */
export function pausesAtFirst(isNew: boolean, now: number): readonly Pause[] {
  return isNew ? [] : [{ from: 0, to: now + CATCH_UP_MS }];
}

/** Those of which is known that it was paused, or that nobody looked. */
export function knownPauses(pauses: readonly Pause[]): readonly Pause[] {
  return pauses.filter(({ from }) => from > 0);
}

/** What was on record before the workflow looked. */
function pausedSince(conditions: readonly Condition[] | undefined): number | undefined {
  const paused = conditionOf(conditions, 'Paused');
  return paused?.status === 'True' ? Date.parse(paused.lastTransitionTime) : undefined;
}

/** When so much time will have passed outside of pauses; Infinity: not while it is paused. In milliseconds. */
export function overAt(from: number, lengthMs: number, pauses: readonly Pause[]): number {
  return hasLastedAt(
    from,
    lengthMs,
    pauses.map(({ from: begin, to = Infinity }) => ({ from: begin, until: to })),
  );
}
