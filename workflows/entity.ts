import { condition, continueAsNew, setHandler, sleep, workflowInfo, type SignalDefinition } from '@temporalio/workflow';
import { Alarm } from './alarm.ts';
import type { ObjectTarget } from './object-target.ts';
import { changedSignal } from './signals.ts';
import { timerSummary } from './summary.ts';
import type { Heard } from './heard.ts';
import { given } from '../providers/given.ts';

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
  /** Signals beside `changed` that ask for a pass, and what each notes in the memory before that. */
  readonly notes?: readonly (readonly [SignalDefinition, () => void])[];
  /**
   * Least time from the end of a pass to one that a change asks for, in milliseconds: many changes are one pass. What is due by then
   * does not wait for it. @default 0
   */
  readonly restMs?: number;
  /**
   * Looks at the live object and takes it one step on. What it throws fails the workflow task, or ends the workflow.
   */
  readonly pass: (turn: Turn) => Promise<Next<Result>>;
}

/** What a pass is told of the run that it is part of. */
export interface Turn {
  /** How often the workflow has slept; what it knew before the last time is in its history. */
  readonly rests: number;
  /** To be in the request of the pass's first step. */
  readonly heard: Heard;
  /** To be called with the answer of that step: what was signalled later asks for one more pass, and is not noted before it. */
  readonly hear: (answer: object & Heard) => void;
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
  const signals = new Signals();
  let isAgain = true;
  let endedAt = restsFirst - restMs;
  let dueAt = Infinity;
  let rests = 0;
  let passes = 0;
  setHandler(changedSignal, () => signals.take());
  for (const [signal, note] of notes) setHandler(signal, () => signals.take(note));
  const isDirty = (): boolean => isAgain || signals.areNew;
  /** When the pass may come that a change asks for. What is due comes in time. */
  const restEnds = (): number => Math.min(endedAt + restMs, Math.max(dueAt, endedAt + LEAST_REST_MS));
  for (;;) {
    const isAtRest = !isDirty() && !alarm.hasRung;
    // How long the history is may be asked at rest only. While a local step takes long, the worker gets one workflow task after
    // another, and a replay sees the last of them only: before such a step it would hear the answer that the first run heard after it.
    if ((isAtRest && workflowInfo().continueAsNewSuggested) || passes >= MOST_PASSES) {
      // The first thing that the next run does is a pass: what was signalled meanwhile is not lost.
      signals.hear({});
      const rest = given({ restsUntil: restMs === 0 ? undefined : restEnds() });
      await continueAsNew<(input: EntityInput<Memory>) => Promise<Result>>({ v: 1, ref, clusterUid, memory, ...rest });
    }
    if (isAtRest) {
      alarm.arm();
      await condition(() => isDirty() || alarm.hasRung);
      rests += 1;
    }
    const now = Date.now();
    // The alarm tells how long to rest, and not a comparison of `dueAt` with the clock: a replay may end the last short step later than the
    // first run did, compare otherwise, and take another turn.
    const rest = alarm.hasRung ? Math.min(restMs, LEAST_REST_MS) : restMs;
    if (endedAt + rest > now) {
      const until = Math.max(now + 1, Math.min(endedAt + rest, restEnds()));
      await sleep(until - now, { summary: timerSummary(until, 'looks are paced', now) });
    }
    isAgain = false;
    alarm.hasRung = false;
    const { heard } = signals;
    let isHeard = false;
    const hear = (answer: Heard): void => {
      isHeard = true;
      signals.hear({ ...heard, ...answer });
    };
    const next = await pass({ rests, heard, hear });
    if (!isHeard) hear(heard);
    passes += 1;
    endedAt = Date.now();
    dueAt = Infinity;
    if (next === 'again') isAgain = true;
    else if ('end' in next) return next.end;
    else {
      alarm.set(next.at, next.why);
      dueAt = next.at ?? Infinity;
    }
  }
}

/** The signals of a run. */
class Signals {
  #got = 0;
  #heard = 0;
  /** Of those that were not heard yet, by their number. */
  #notes: (readonly [at: number, note: () => void])[] = [];

  take(note?: () => void): void {
    this.#got += 1;
    if (note !== undefined) this.#notes.push([this.#got, note]);
  }

  /** For a step that is asked for now. */
  get heard(): Heard {
    return { heard: this.#got };
  }

  /** Some ask for a pass. */
  get areNew(): boolean {
    return this.#got > this.#heard;
  }

  /** So many count as heard, and what they note is noted. @default all that it got */
  hear({ heard = this.#got }: Heard): void {
    this.#heard = Math.max(this.#heard, heard);
    const due = this.#notes.filter(([at]) => at <= this.#heard);
    this.#notes = this.#notes.filter(([at]) => at > this.#heard);
    for (const [, note] of due) note();
  }
}
