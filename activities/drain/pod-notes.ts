import type { PodNote, PodNotes } from '../../workflows/machine/drain-activities.ts';
import type { EvictionAnswer, Hold } from './read-eviction.ts';

/** Between two evictions of a pod, by what held it: doubles from `first` up to `most`. Seconds. */
const BACKOFF: Readonly<Record<Hold, { readonly first: number; readonly most: number }>> = {
  soon: { first: 1, most: 10 },
  budget: { first: 5, most: 30 },
  budgets: { first: 120, most: 300 },
  namespace: { first: 5, most: 30 },
  server: { first: 2, most: 60 },
  refused: { first: 15, most: 120 },
};

/** Of these the words are kept: nothing else tells what is the matter. */
const IN_WORDS: ReadonlySet<Hold> = new Set(['refused', 'server', 'namespace']);
/** What should pass in a moment does not, after so many failures in a row: a webhook may answer so for hours. */
const MANY = 5;
/** Longest of them, in characters. */
const MOST_WORDS = 300;

/** What is remembered of a pod whose eviction was asked for and came to nothing. */
export function noteHeld(
  before: PodNote | undefined,
  { by, message, retryAfterMs = 0 }: Extract<EvictionAnswer, { outcome: 'held' }>,
  now: number,
): PodNote {
  const failures = before?.by === by ? before.failures + 1 : 1;
  const { first, most } = BACKOFF[by];
  const ms = Math.max(retryAfterMs, Math.min(first * 2 ** (failures - 1), most) * 1000);
  const words =
    IN_WORDS.has(by) || (by === 'soon' && failures >= MANY) ? { message: message.slice(0, MOST_WORDS) } : {};
  return { askedAt: before?.askedAt ?? now, by, failures, until: now + ms, ...words };
}

/** It fails again and again for what should have passed in a moment. */
export function isLasting({ failures }: PodNote): boolean {
  return failures >= MANY;
}

/** The notes with the ones of this pass, without those of pods that are left no more. */
export function keepNotes(notes: PodNotes, left: readonly { readonly uid: string }[]): PodNotes {
  return Object.fromEntries(
    left.flatMap(({ uid }) => {
      const note = notes[uid];
      return note === undefined ? [] : [[uid, note]];
    }),
  );
}
