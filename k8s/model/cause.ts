import type { Machine } from './machine.ts';

/** On a Machine: why it is to go, or to be remedied, by whoever asked for that and is no person with kubectl. The time, and then a sentence. */
export const CAUSE_ANNOTATION = 'millwright.dev/cause';

/**
 * How long before the deletion a cause may have been written that is that deletion's, in milliseconds: who dies right after it has written
 * one leaves it on the Machine. Written and deleted within seconds, by two clocks.
 */
const MOST_BEFORE_MS = 300_000;

/**
 * What a cause is, before its words: a rollout replaces the Machine, its set has one too many, or a health check has it remedied without a
 * deletion. Of others nothing is said.
 */
const KINDS = ['rollout', 'surplus', 'remedy'] as const;

/** The annotation's value. */
export function writeCause(words: string, now: number): string {
  return `${new Date(now).toISOString()} ${words}`;
}

/** The same where a rollout replaces the Machine. */
export function writeRolloutCause(words: string, now: number): string {
  return writeCause(`rollout: ${words}`, now);
}

/** The same where its set has one too many. */
export function writeSurplusCause(words: string, now: number): string {
  return writeCause(`surplus: ${words}`, now);
}

/** The same where the Machine is to stay, and a health check has it rebooted or remedied by another program. */
export function writeRemedyCause(words: string, now: number): string {
  return writeCause(`remedy: ${words}`, now);
}

/** Why the Machine goes, where that was written for this very deletion. */
export function causeOf(machine: Machine): string | undefined {
  return machine.cause === undefined ? undefined : wordsForDeletion(machine, machine.cause);
}

/** A rollout replaces it, by the cause of this very deletion: nothing is wrong with the Machine, and it may go later as well. */
export function isRolledOut(machine: Machine): boolean {
  return kindOfCause(machine) === 'rollout';
}

/** Its set waits to make another in its place: somebody else had it deleted. */
export function isMissed(machine: Machine): boolean {
  return machine.owner !== undefined && kindOfCause(machine) === undefined;
}

function kindOfCause(machine: Machine): Written['kind'] {
  return machine.cause === undefined ? undefined : forDeletion(machine, machine.cause)?.kind;
}

/** What an annotation says that was written for a deletion: its words, where this is that deletion. */
export function wordsForDeletion(wishes: DeletionWishes, value: string): string | undefined {
  return forDeletion(wishes, value)?.words;
}

function forDeletion({ deletedAt, delete: isToGo }: DeletionWishes, value: string): Written | undefined {
  const written = read(value);
  const { writtenAt, kind } = written;
  if (kind === 'remedy') return undefined;
  if (Date.parse(deletedAt ?? '') - writtenAt < MOST_BEFORE_MS) return written;
  // Of spec.delete: what an earlier deletion left is taken off when that is aborted, or when this one is asked for. Rollouts and sets delete
  // at once: what they wrote came to nothing.
  return isToGo === true && kind === undefined && !Number.isNaN(writtenAt) ? written : undefined;
}

/** What an annotation says, whatever it was written for. */
export function wordsOf(value: string): string {
  return read(value).words;
}

/** The deletion for which this was written would have been seen by now. */
export function cameToNothing(value: string, now: number): boolean {
  // What has no time is of no deletion.
  return !(now - read(value).writtenAt < MOST_BEFORE_MS);
}

interface Written {
  readonly writtenAt: number;
  readonly kind: (typeof KINDS)[number] | undefined;
  readonly words: string;
}

function read(value: string): Written {
  const [time = '', ...rest] = value.split(' ');
  const words = rest.join(' ');
  const kind = KINDS.find((each) => words.startsWith(`${each}: `));
  return { writtenAt: Date.parse(time), kind, words: kind === undefined ? words : words.slice(`${kind}: `.length) };
}

type DeletionWishes = Pick<Machine, 'deletedAt' | 'delete'>;

/** As the end of a sentence: `: 5 are asked for`; empty where nobody told. */
export function becauseOf(machine: Machine): string {
  const cause = causeOf(machine);
  return cause === undefined ? '' : `: ${cause}`;
}
