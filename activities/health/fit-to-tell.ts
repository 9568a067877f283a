import type { FoundCheck, Suspect } from '../../workflows/machine-health-check/health-activities.ts';

/** Most Machines that one look tells of, and most of their text in bytes: it is kept in a history, and of what is known of each as well. */
const MOST_TOLD = { machines: 1000, bytes: 600_000 } as const;

/**
 * Of thousands that are unhealthy at once those that matter first: under way, proved dead, wished, then by name, so that it is the same
 * ones at each look. The others are counted; their turn comes when fewer are unhealthy.
 *
 * @param underWay uids of Machines that are being remediated: always told
 * @param checkUid of the check that looks
 */
export function fitToTell(
  suspects: readonly Suspect[],
  underWay: ReadonlySet<string>,
  checkUid: string,
): Pick<FoundCheck, 'suspects' | 'untold'> {
  const rank = ({ uid, claim, isProved, causes }: Suspect): number => {
    if (underWay.has(uid) || claim?.uid === checkUid) return 0;
    if (isProved === true) return 1;
    return causes.some(({ kind }) => kind === 'wished') ? 2 : 3;
  };
  const sized = suspects.map((suspect) => ({
    suspect,
    rank: rank(suspect),
    bytes: Buffer.byteLength(JSON.stringify(suspect)),
  }));
  if (suspects.length <= MOST_TOLD.machines && sized.reduce((sum, { bytes }) => sum + bytes, 0) <= MOST_TOLD.bytes) {
    return { suspects };
  }
  sized.sort((a, b) => a.rank - b.rank || (a.suspect.name < b.suspect.name ? -1 : 1));
  const told: Suspect[] = [];
  let sum = 0;
  for (const { suspect, rank, bytes } of sized) {
    sum += bytes;
    if (rank > 0 && (told.length >= MOST_TOLD.machines || sum > MOST_TOLD.bytes)) break;
    told.push(suspect);
  }
  return { suspects: told, untold: suspects.length - told.length };
}
