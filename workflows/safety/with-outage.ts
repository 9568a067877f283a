import { awayTimes, isUnwatched, type Away } from '../machine-health-check/away.ts';
import type { Outage } from '../machine-health-check/health-activities.ts';

/** So long an outage is remembered after its end, in milliseconds: longer than anything is counted that it is subtracted from. */
const KEPT_MS = 24 * 3_600_000;
/** Of more the oldest are forgotten. */
const MOST_KEPT = 200;

/**
 * The outages, the oldest first, with what a watcher tells of one. Its end is an answer of the API server, and ends whatever lasted
 * until then: the watcher that told of that beginning may be gone. So news of a beginning that come after their end are old.
 * Of the times in which no watcher was at work, the last one is kept, and stands first.
 *
 * @param now milliseconds since the epoch
 */
export function withOutage(known: readonly Outage[], told: Outage, now: number): Outage[] {
  const [seen, unseen] = [known.filter((outage) => !isUnwatched(outage)), known.filter(isUnwatched)];
  const isKept = (until: number): boolean => until > now - KEPT_MS;
  const unwatched = lastOf(isUnwatched(told) ? [...unseen, told] : unseen).filter(({ until = '' }) =>
    isKept(Date.parse(until)),
  );
  if (isUnwatched(told)) return [...unwatched, ...seen];
  const isOld = told.until === undefined && seen.some(({ until }) => until !== undefined && isBefore(told.from, until));
  const ended = seen.map((outage) => endedBy(outage, told));
  const kept = awayTimes(isOld ? ended : [...ended, told])
    .filter(({ until }) => isKept(until))
    .slice(-MOST_KEPT)
    .map(outageOf);
  return [...unwatched, ...kept];
}

/** The one that ended last. */
function lastOf(outages: readonly Outage[]): Outage[] {
  return [...outages].sort((a, b) => Date.parse(a.until ?? '') - Date.parse(b.until ?? '')).slice(-1);
}

/** Where another outage began later, the API server had answered in between. */
function endedBy({ from, until }: Outage, told: Outage): Outage {
  if (until !== undefined) return { from, until };
  if (told.until === undefined || !isBefore(from, told.until)) return { from };
  return { from, until: isBefore(from, told.from) ? told.from : told.until };
}

function isBefore(a: string, b: string): boolean {
  return Date.parse(a) < Date.parse(b);
}

function outageOf({ from, until }: Away): Outage {
  const beginning = { from: new Date(from).toISOString() };
  return until === Infinity ? beginning : { ...beginning, until: new Date(until).toISOString() };
}
