import { condition, continueAsNew, setHandler, sleep, workflowInfo, type SignalDefinition } from '@temporalio/workflow';
import { Alarm } from './alarm.ts';
import type { ObjectTarget } from './object-target.ts';
import { changedSignal } from './signals.ts';
import { timerSummary } from './summary.ts';

/** What the workflow of any object is started with. */
export interface EntityInput<Memory> extends ObjectTarget {
  /** Version of this input. */
  readonly v: 1;
  /** What the run before this one knew. Plain JSON. */
  readonly memory?: Memory;
  /** When its first pass may come at the earliest, in milliseconds since the epoch. @default at once */
  readonly restsUntil?: number;
}

/** What comes after a pass: a look when something changes or at a time, a look at once, or the end of the workflow. */
export type Next<Result = void> = Sleep | 'again' | { readonly end: Result };

export interface Sleep {
  /** Milliseconds since the epoch; absent: only a signal brings the next look. */
  readonly at?: number | undefined;
  /** Shown with the timer in the Temporal UI. */
  readonly why: string;
}

export interface Entity<Memory, Result> {
  /** What must not be forgotten between two passes; passes and signals change it, and the next run gets it. */
  readonly memory: Memory;
  /** Signals beside `changed` that ask for a pass, and what each notes in the memory first. */
  readonly notes?: readonly (readonly [SignalDefinition, () => void])[];
  /**
   * Least time from the end of a pass to one that a change asks for, in milliseconds: many changes are one pass. What is due by then
   * does not wait for it. @default 0
   */
  readonly restMs?: number;
  /**
   * Looks at the live object and takes it one step on. What it throws fails the workflow task, or ends the workflow.
   *
   * @param rests how often the workflow has slept; what it knew before the last time is in its history
   */
  readonly pass: (rests: number) => Promise<Next<Result>>;
}

/** Where passes rest, none follows the one before it sooner, whatever is due; in milliseconds. */
export const LEAST_REST_MS = 100;

/** It is only asked at rest how long the history is. One that never rests goes on as a new run after so many passes. */
const MOST_PASSES = 1000;

/**
 * The life of one object, from its creation to its end. A signal only says "look again": any number of them during a pass is
 * one more pass. Between two passes it sleeps, and costs nothing.
 */
export async function liveEntity<Memory, Result>(
  { ref, clusterUid, restsUntil: restsFirst = 0 }: EntityInput<Memory>,
  { memory, notes = [], restMs = 0, pass }: Entity<Memory, Result>,
): Promise<Result> {
  const alarm = new Alarm();
  let dirty = true;
  let endedAt = restsFirst - restMs;
  let dueAt = Infinity;
  let rests = 0;
  let passes = 0;
  setHandler(changedSignal, () => {
    dirty = true;
  });
  for (const [signal, note] of notes) {
    setHandler(signal, () => {
      note();
      dirty = true;
    });
  }
  /** When the pass may come that a change asks for. What is due comes in time. */
  const restEnds = (): number => Math.min(endedAt + restMs, Math.max(dueAt, endedAt + LEAST_REST_MS));
  for (;;) {
    const isAtRest = !dirty && !alarm.hasRung;
    // How long the history is may be asked at rest only. While a local step takes long, the worker gets one workflow task after
    // another, and a replay sees the last of them only: before such a step it would hear the answer that the first run heard after it.
    if ((isAtRest && workflowInfo().continueAsNewSuggested) || passes >= MOST_PASSES) {
      // The first thing that the next run does is a pass: what was signalled meanwhile is not lost.
      const rest = restMs === 0 ? {} : { restsUntil: restEnds() };
      await continueAsNew<(input: EntityInput<Memory>) => Promise<Result>>({ v: 1, ref, clusterUid, memory, ...rest });
    }
    if (isAtRest) {
      alarm.arm();
      await condition(() => dirty || alarm.hasRung);
      rests += 1;
    }
    const now = Date.now();
    // Whether it rests is not asked by when the next pass is due: that was counted from before the last short step, and a replay may have
    // it happen later.
    const rest = alarm.hasRung ? Math.min(restMs, LEAST_REST_MS) : restMs;
    if (endedAt + rest > now) {
      const until = Math.max(now + 1, Math.min(endedAt + rest, restEnds()));
      await sleep(until - now, { summary: timerSummary(until, 'looks are paced', now) });
    }
    dirty = false;
    alarm.hasRung = false;
    const next = await pass(rests);
    passes += 1;
    endedAt = Date.now();
    dueAt = Infinity;
    if (next === 'again') dirty = true;
    else if ('end' in next) return next.end;
    else {
      alarm.set(next.at, next.why);
      dueAt = next.at ?? Infinity;
    }
  }
}
