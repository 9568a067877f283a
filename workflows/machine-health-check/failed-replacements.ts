import { byMaker, isNewer, makerOf, type Held } from './gone-slots.ts';
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

/**
 * A slot whose Machine is gone takes an unhealthy Machine of its set, or of its deployment, that was made since that slot began, the newest slot first; but those
 * that may join keep as many places as they can have.
 */
export function failedReplacements(
  gone: readonly Held[],
  patients: readonly Patient[],
  slots: HealthMemory['slots'],
  { sets }: FoundCheck,
): FailedReplacement[] {
  return byMaker(gone, sets).flatMap(({ maker, set, members }) => {
    const failed = patients
      .filter(
        (one) =>
          makerOf(one.suspect, sets) === maker &&
          one.suspect.isDeleting !== true &&
          slots[one.suspect.uid] === undefined &&
          worstOf(one) !== undefined,
      )
      .sort(byHope);
    const hopeful = (set?.unready ?? []).filter(
      ({ uid }) => slots[uid] === undefined && !failed.some(({ suspect }) => suspect.uid === uid),
    );
    let places = [...members].sort((a, b) => b.slot.startedAt - a.slot.startedAt);
    const joining = countJoining(hopeful, places);
    return failed.flatMap((patient) => {
      const { createdAt } = patient.suspect;
      // The oldest places stay: they are what any machine that joins may have come for.
      const place = places.find(
        (one) => isNewer(createdAt, one.slot.startedAt) && countJoining(hopeful, withoutOne(places, one)) === joining,
      );
      if (place === undefined) return [];
      places = withoutOne(places, place);
      return [{ ...place, patient }];
    });
  });
}

/** How many of the machines that may join find a place that was free when they were made. */
function countJoining(hopeful: readonly { readonly createdAt: string }[], places: readonly Held[]): number {
  const oldestFirst = places.toSorted((a, b) => a.slot.startedAt - b.slot.startedAt);
  let count = 0;
  for (const { createdAt } of hopeful.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))) {
    const place = oldestFirst[count];
    if (place !== undefined && isNewer(createdAt, place.slot.startedAt)) count += 1;
  }
  return count;
}

function withoutOne(places: readonly Held[], one: Held): Held[] {
  return places.filter((each) => each !== one);
}

/** One that had a Node may be what another slot was over for: those that never came go first. */
function byHope({ suspect: a }: Patient, { suspect: b }: Patient): number {
  const isBorn = ({ node }: Patient['suspect']): number => (node === undefined ? 0 : 1);
  return isBorn(a) - isBorn(b) || Date.parse(b.createdAt) - Date.parse(a.createdAt);
}
