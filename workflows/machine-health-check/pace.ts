import { countOf } from '../../k8s/model/count.ts';
import type { Brake } from './decision.ts';
import type { FoundCheck } from './health-activities.ts';
import { joinNames, someOf } from '../../k8s/model/some-names.ts';
import { describeShare, shareOf } from './shares.ts';

export interface Pace {
  /** How many remediations may be under way at a time. */
  readonly limit: number;
  /** To be remembered. Absent: it is the full pace. */
  readonly pace?: number;
}

/** Most machines that are named. */
const MOST_NAMED = 3;
/** Of each that is under way something has to be remembered, and that is limited. */
const MOST_IN_FLIGHT = 500;

/** The pace: all that the check allows; after a storm one at a time, and twice as many after each success. */
export function nextPace(
  seen: Pick<FoundCheck, 'expected' | 'suspects' | 'sets' | 'remediation'>,
  known: number | undefined,
  { hasLetGo, successes }: { readonly hasLetGo: boolean; readonly successes: number },
): Pace {
  const { remediation } = seen;
  const most = mostInFlight({ expected: seen.expected - countReplaced(seen), remediation });
  const begun = hasLetGo ? 1 : known;
  // More doublings than that are the full pace of any check.
  const pace = begun === undefined ? most : begun * 2 ** Math.min(successes, 30);
  return pace >= most ? { limit: most } : { limit: pace, pace };
}

/**
 * Machines that are being deleted and not replaced any more, or replaced already. A share is of the places for machines: it does not grow
 * by what is remediated.
 */
function countReplaced({ suspects, sets }: Pick<FoundCheck, 'suspects' | 'sets'>): number {
  const leaving = suspects.filter(({ isDeleting }) => isDeleting === true);
  const makers = Map.groupBy(leaving, ({ set }) => sets[set?.uid ?? '']?.deployment ?? set?.uid);
  return [...makers.values()].reduce((count, [first, ...others]) => {
    const missing = sets[first?.set?.uid ?? '']?.missing ?? 0;
    return count + Math.max(0, 1 + others.length - missing);
  }, 0);
}

/** As many remediations may be under way at a time, where no storm was a while ago. */
export function mostInFlight({ expected, remediation }: Pick<FoundCheck, 'expected' | 'remediation'>): number {
  return Math.min(MOST_IN_FLIGHT, Math.max(1, Math.ceil(shareOf(remediation.maxInFlight, expected))));
}

/** @param counts the names of the Machines that are remediated, and how many others wait for that */
export function limitBrake(
  { remediation }: FoundCheck,
  { limit, pace }: Pace,
  { underWay, waiting }: { readonly underWay: readonly string[]; readonly waiting: number },
): Brake {
  const why =
    pace === undefined
      ? `spec.remediation.maxInFlight is ${describeShare(remediation.maxInFlight)}`
      : `after a storm it begins with one at a time, and doubles with each success`;
  const busy = `${countOf(underWay.length, 'remediation is', 'remediations are')} under way (of ${joinNames(someOf([...underWay].sort(), MOST_NAMED))})`;
  const more = countOf(waiting, 'more machine waits', 'more machines wait');
  const message = `${busy}, and at most ${limit} may be (${why}): ${more}`;
  return { reason: 'AtLimit', message };
}
