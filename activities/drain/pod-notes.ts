import type { PodNote, PodNotes } from '../../workflows/machine/drain-activities.ts';
import { given } from '../../providers/given.ts';
import type { EvictionAnswer, Hold } from './read-eviction.ts';
import { cut } from '../../providers/cut.ts';
import { doubled } from '../../providers/doubling.ts';

/** Between two evictions of a pod, by what held it: doubles from `first` up to `most`. Seconds. */
const BACKOFF: Readonly<Record<Hold, { readonly first: number; readonly most: number }>> = {
  soon: { first: 1, most: 10 },
  budget: { first: 5, most: 30 },
  budgets: { first: 120, most: 300 },
  unjudged: { first: 2, most: 60 },
  namespace: { first: 5, most: 30 },
  server: { first: 2, most: 60 },
  refused: { first: 15, most: 120 },
};

/** Of these the words are kept: nothing else tells what is the matter. */
const IN_WORDS: ReadonlySet<Hold> = new Set(['refused', 'server', 'unjudged', 'namespace']);
/** How much each says of the pod itself. For a while, one that says less does not take the place of one that says more: a webhook may hang now and then. */
const WORTH: Readonly<Record<Hold, number>> = {
  soon: 0,
  server: 1,
  unjudged: 2,
  namespace: 2,
  refused: 2,
  budget: 2,
  budgets: 2,
};
/** How long after its own next try one that says more stays shown, in milliseconds. */
const SHOWN_MS = 60_000;
/** What should pass in a moment counts as lasting after so many failures in a row: a webhook may answer so for hours. */
const MANY = 5;
/** So many characters of such words are kept. */
const MOST_WORDS = 300;

/** What is remembered of a pod whose eviction was asked for and came to nothing. */
export function noteHeld(
  before: PodNote | undefined,
  { by, message, retryAfterMs = 0 }: Extract<EvictionAnswer, { outcome: 'held' }>,
  now: number,
): PodNote {
  const failures = before !== undefined && rowOf(before.by) === rowOf(by) ? before.failures + 1 : 1;
  const ms = Math.max(retryAfterMs, doubled(BACKOFF[by], failures) * 1000);
  const isLong = failures >= MANY || retryAfterMs > BACKOFF.soon.most * 1000;
  const words = IN_WORDS.has(by) || (by === 'soon' && isLong) ? { message: cut(message, MOST_WORDS) } : {};
  const shown = before && worthMore(before, by, now);
  return { askedAt: before?.askedAt ?? now, by, failures, until: now + ms, ...words, ...given({ shown }) };
}

/** Failures of a request share a back-off, however it fails each time. What a budget answers is no failure, and has its own. */
function rowOf(by: Hold): string {
  return by === 'budget' || by === 'budgets' ? by : 'other';
}

function worthMore({ by, message, until, shown }: PodNote, than: Hold, now: number): PodNote['shown'] {
  const own = { by, until: until + SHOWN_MS, ...given({ message }) };
  return [shown, own].find((one) => one !== undefined && one.until > now && WORTH[one.by] > WORTH[than]);
}

/** What is told of a pod that is held. */
export function shownOf(note: PodNote): Pick<PodNote, 'by' | 'message'> {
  return note.shown ?? note;
}

/**
 * What holds the pod should pass in a moment, and nothing else is told of it. Where it fails again and again, or asks to wait for longer, its
 * words were kept.
 */
export function isMomentary(note: PodNote): boolean {
  const { by, message } = shownOf(note);
  return by === 'soon' && message === undefined;
}

/** The same notes, and the next pass asks these pods: what held them is mended. */
export function askedSoon(notes: PodNotes, pods: readonly { readonly uid: string }[], now: number): PodNotes {
  const soon = pods.flatMap(({ uid }) => {
    const note = notes[uid];
    return note === undefined ? [] : [[uid, { ...note, until: Math.min(note.until, now) }] as const];
  });
  return { ...notes, ...Object.fromEntries(soon) };
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
