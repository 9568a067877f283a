import type { Random } from '../time/random.ts';
import type { Fault } from './disturbances.ts';

/**
 * The next calls of a kind meet a fault, one after the other: it takes that for all tries of something to fail. A server that has too
 * much to do turns calls away first; what it took at last takes effect when nobody waits for it any more.
 */
export interface Spell {
  readonly what: string;
  readonly meets: (call: string) => boolean;
  /** What each of them meets. */
  readonly faults: readonly Fault[];
  /** It is over after so long, in milliseconds, however few there were. */
  readonly mostMs: number;
}

const WRITES = /^kube (create|apply|mergePatch|jsonPatch|delete) |^cloud (launch|terminate)$/;
/** To do these twice is something else than to do them once. */
const MAKES = /^kube create |^cloud launch$/;
/** No process dies again and again: it would do nothing, and do nothing wrong. */
const LASTING = ['lost request', 'lost answer', 'late effect', 'refused', 'refused', 'slow'] as const;
const MOST_CALLS = 10;
const MEAN_MS = 90_000;
/** Calls of all kinds are so many more. */
const CALLS_OF_ALL = 6;
/** How often most things are tried before their workflow goes on without them. */
const TRIES = 5;
/** What all tries but the last one meet where that takes effect late: none of them made anything before it. */
const IN_VAIN = ['lost request', 'refused'] as const;
/** How often a spell is of that kind: a late effect finds a workflow that went on, and may be another run by now. */
const LAST_IS_LATE = 0.5;

/** @param calls that were made so far */
export function spellOf(random: Random, calls: readonly string[]): Spell {
  return random.chance(LAST_IS_LATE) ? lastIsLate(random, calls) : lasting(random, calls);
}

function lastIsLate(random: Random, calls: readonly string[]): Spell {
  const what = oneOf(random, calls, MAKES);
  const faults = [...repeated(random.pick(IN_VAIN) ?? 'refused', TRIES - 1), ...repeated('late effect', 1)];
  return { what, meets: (call) => call === what, faults, mostMs: random.around(MEAN_MS) };
}

function lasting(random: Random, calls: readonly string[]): Spell {
  const ofAll = random.chance(0.3);
  const one = oneOf(random, calls, random.pick([WRITES, MAKES, MAKES, /./]) ?? WRITES);
  const [what, meets] = ofAll
    ? ['writes to the API server', (call: string) => call.startsWith('kube ') && WRITES.test(call)]
    : [one, (call: string) => call === one];
  const times = (): number => (1 + random.below(MOST_CALLS)) * (ofAll ? CALLS_OF_ALL : 1);
  const faults = repeated(random.pick(LASTING) ?? 'slow', times());
  const late = repeated('late effect', times());
  return { what, meets, faults: random.chance(0.6) ? [...faults, ...late] : faults, mostMs: random.around(MEAN_MS) };
}

function oneOf(random: Random, calls: readonly string[], kind: RegExp): string {
  return random.pick(calls.filter((call) => kind.test(call))) ?? '';
}

function repeated(fault: Fault, times: number): readonly Fault[] {
  return Array.from({ length: times }, () => fault);
}
