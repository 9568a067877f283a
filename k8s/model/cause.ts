import type { Machine } from './machine.ts';

/** On a Machine: why it is to go, by whoever asked for that and is no person with kubectl. The time, and then a sentence. */
export const CAUSE_ANNOTATION = 'millwright.dev/cause';

/**
 * How long before the deletion a cause may have been written that is that deletion's, in milliseconds: one that came to nothing stays on
 * the Machine. Written and deleted within seconds, by two clocks.
 */
const MOST_BEFORE_MS = 300_000;

/** The annotation's value. */
export function writeCause(words: string, now: number): string {
  return `${new Date(now).toISOString()} ${words}`;
}

/** Why the Machine goes, where that was written for this very deletion. */
export function causeOf({ cause, deletedAt, delete: isToGo }: Machine): string | undefined {
  if (cause === undefined) return undefined;
  const [time = '', ...words] = cause.split(' ');
  if (isToGo === true) return words.join(' ');
  const age = Date.parse(deletedAt ?? '') - Date.parse(time);
  return Math.abs(age) < MOST_BEFORE_MS ? words.join(' ') : undefined;
}

/** As the end of a sentence: `: 5 are asked for`; empty where nobody told. */
export function becauseOf(machine: Machine): string {
  const cause = causeOf(machine);
  return cause === undefined ? '' : `: ${cause}`;
}
