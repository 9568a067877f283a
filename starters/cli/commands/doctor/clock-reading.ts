import { reportFailed, reportUnknown, reportOk, type Finding } from './finding.ts';

/** What a server's clock said, and between which moments of ours. All in milliseconds since the epoch. */
export interface ClockReading {
  /** The server's clock showed something between these two. */
  readonly earliest: number;
  readonly latest: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Leases (15 s), time limits and the ages that conditions show are told by several clocks. */
const MOST_SKEW_MS = 5000;

/** The least by which the server's clock is ahead of ours (below 0: behind) that the reading can be explained with. */
export function skewOf({ earliest, latest, sentAt, receivedAt }: ClockReading): number {
  const least = earliest - receivedAt;
  const most = latest - sentAt;
  if (least > 0) return least;
  return most < 0 ? most : 0;
}

export function judgeClock(whose: string, reading: ClockReading | undefined): Finding {
  const check = `clock of ${whose}`;
  if (reading === undefined) return reportUnknown(check, 'it does not tell its time');
  const skew = skewOf(reading);
  const seconds = (Math.abs(skew) / 1000).toFixed(1);
  const found =
    Math.abs(skew) < 1000
      ? 'within 1 s of this computer'
      : `${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} this computer`;
  if (Math.abs(skew) <= MOST_SKEW_MS) return reportOk(check, found);
  return reportFailed(
    check,
    found,
    'Set both clocks by NTP: Leases, time limits and back-off are told by more than one clock. Where this computer is ' +
      'the one that is wrong, nothing but this finding is affected.',
  );
}
