import { bySet, isNewer, type Held } from './gone-slots.ts';
import type { FoundCheck } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';
import { worstOf, type Patient } from './patients.ts';

/** A replacement that is unhealthy itself, and the slot in which it is replaced in turn. */
export interface FailedReplacement {
  /** The uid of the Machine for which the slot was taken. */
  readonly uid: string;
  readonly slot: Slot;
  readonly patient: Patient;
}

/** A slot whose Machine is gone takes an unhealthy Machine of its set that was made since that slot began; but those that may join need one too. */
export function failedReplacements(
  gone: readonly Held[],
  patients: readonly Patient[],
  slots: HealthMemory['slots'],
  { sets }: FoundCheck,
): FailedReplacement[] {
  return [...bySet(gone)].flatMap(([setUid, members]) => {
    const failed = patients
      .filter(
        (one) =>
          one.suspect.set?.uid === setUid &&
          one.suspect.isDeleting !== true &&
          slots[one.suspect.uid] === undefined &&
          worstOf(one) !== undefined,
      )
      .sort(byHope);
    const hopeful = (sets[setUid]?.unready ?? []).filter(
      ({ uid }) => slots[uid] === undefined && !failed.some(({ suspect }) => suspect.uid === uid),
    );
    const places = [...members].sort((a, b) => b.slot.startedAt - a.slot.startedAt);
    /** The newest place that was free when the machine was made. */
    const take = (createdAt: string): Held | undefined => {
      const at = places.findIndex(({ slot }) => isNewer(createdAt, slot.startedAt));
      return at < 0 ? undefined : places.splice(at, 1)[0];
    };
    // What may join still has its place first. In whatever order these take theirs, the same places are left.
    for (const { createdAt } of hopeful) take(createdAt);
    return failed.flatMap((patient) => {
      const place = take(patient.suspect.createdAt);
      return place === undefined ? [] : [{ ...place, patient }];
    });
  });
}

/** One that had a Node may be what another slot was over for: those that never came go first. */
function byHope({ suspect: a }: Patient, { suspect: b }: Patient): number {
  const isBorn = ({ node }: Patient['suspect']): number => (node === undefined ? 0 : 1);
  return isBorn(a) - isBorn(b) || Date.parse(b.createdAt) - Date.parse(a.createdAt);
}
