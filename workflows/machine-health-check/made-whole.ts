import { isNewer, isOlder, makerOf } from './gone-slots.ts';
import type { FoundCheck } from './health-activities.ts';
import type { HealthMemory, MadeWhole, Slot } from './health-memory.ts';
import { isWished, worstOf, type Patient } from './patients.ts';

/** So long it is remembered that a set was whole again, in milliseconds: longer than the longest wait for the next replacement. */
const KEPT_MS = 3 * 3_600_000;
/** What turns bad within so long after its Machine was made counts as bad from the start, in milliseconds. */
const FROM_START_MS = 1_800_000;
/** Of more than these the oldest are forgotten. */
const MOST = 1000;

/** The sets that were whole again after a replacement, or were held before that, those of this look with them, the oldest first. */
export function madeWholeBy(
  known: readonly MadeWhole[],
  replaced: readonly Slot[],
  { sets }: Pick<FoundCheck, 'sets'>,
  now: number,
): MadeWhole[] {
  const fresh = replaced.flatMap((slot) => {
    const maker = makerOf(slot, sets);
    const { startedAt: since, wholeAt: at = now, replacements = 0 } = slot;
    return maker === undefined ? [] : [{ maker, since, at, replacements }];
  });
  return [...known, ...fresh].filter(({ at }) => at > now - KEPT_MS).slice(-MOST);
}

/**
 * A replacement may join, and be bad all the same: a set whose machines all are would have them replaced for ever. Answers, by the uid of such
 * a Machine, what it had made whole: what its set made later is there for another reason. What the cloud ended says nothing of its template.
 */
export function badReplacements(
  known: HealthMemory['madeWhole'],
  patients: readonly Patient[],
  { sets }: Pick<FoundCheck, 'sets'>,
): ReadonlyMap<string, MadeWhole> {
  const left = [...known];
  const found = new Map<string, MadeWhole>();
  for (const patient of patients) {
    if (!isBadFromStart(patient)) continue;
    const { uid, createdAt } = patient.suspect;
    const maker = makerOf(patient.suspect, sets);
    const index = left.findLastIndex(
      (one) => one.maker === maker && isNewer(createdAt, one.since) && isOlder(createdAt, one.at),
    );
    const [one] = index < 0 ? [] : left.splice(index, 1);
    if (one !== undefined) found.set(uid, one);
  }
  return found;
}

function isBadFromStart(patient: Patient): boolean {
  const { isProved, createdAt } = patient.suspect;
  const worst = worstOf(patient);
  return (
    worst !== undefined &&
    isProved !== true &&
    !isWished(patient) &&
    worst.since < Date.parse(createdAt) + FROM_START_MS
  );
}
