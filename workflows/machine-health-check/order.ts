import { worstOf, type Patient } from './patients.ts';
import type { HealthMemory } from './health-memory.ts';
import type { Illness } from './sightings.ts';

/** A set whose machine never joined is likely to make another one that does not: the first within this time goes early. */
const JOINS_AGAIN_MS = 3_600_000;

/**
 * In which order they are remediated: proved dead, never joined (the first time in its set), longest unhealthy, never joined again.
 * What serves least and is surest goes first; what is likely to be of no use goes last, and behind all that for which no step has helped.
 */
export function inOrder(
  patients: readonly Patient[],
  { neverJoined, setAside }: Pick<HealthMemory, 'neverJoined' | 'setAside'>,
  now: number,
): readonly Patient[] {
  const tried = new Set(Object.keys(recentlyTried(neverJoined, now)));
  const oldest = patients.map((patient) => ({ patient, worst: worstOf(patient) })).sort(byAge);
  const isTried = ({ patient: { suspect } }: Aged): boolean => setAside[suspect.uid] !== undefined;
  const ranked = oldest.map((aged) => ({ ...aged, rank: isTried(aged) ? LAST : rankOf(aged, tried) }));
  // Those of one rank stay in the order of their age.
  return ranked.sort((a, b) => a.rank - b.rank).map(({ patient }) => patient);
}

const LAST = 4;

interface Aged {
  readonly patient: Patient;
  readonly worst: Illness | undefined;
}

/** @param tried sets of which one has its turn; a machine that has it is noted there */
function rankOf({ patient: { suspect }, worst }: Aged, tried: Set<string>): number {
  const { isProved, set } = suspect;
  if (isProved === true) return 0;
  if (worst?.cause.kind !== 'neverJoined') return 2;
  const key = set?.uid ?? '';
  if (tried.has(key)) return 3;
  tried.add(key);
  return 1;
}

function byAge(a: Aged, b: Aged): number {
  const [one = Infinity, other = Infinity] = [a.worst?.dueAt, b.worst?.dueAt];
  if (one !== other) return one - other;
  return a.patient.suspect.name < b.patient.suspect.name ? -1 : 1;
}

/** Of these sets a Machine that had never joined was remediated lately. */
export function recentlyTried(neverJoined: HealthMemory['neverJoined'], now: number): HealthMemory['neverJoined'] {
  return Object.fromEntries(Object.entries(neverJoined).filter(([, at]) => at > now - JOINS_AGAIN_MS));
}
