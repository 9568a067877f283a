import { awayTimes, type Away } from '../machine-health-check/away.ts';
import type { Outage } from '../machine-health-check/health-activities.ts';

/** So long an outage is remembered after its end, in milliseconds: longer than anything is counted that it is subtracted from. */
const KEPT_MS = 24 * 3_600_000;
/** Of more the oldest are forgotten. */
const MOST_KEPT = 200;

/**
 * The outages, the oldest first, with what a watcher tells of one. Its end is an answer of the API server, and ends whatever lasted
 * until then: the watcher that told of that beginning may be gone. So news of a beginning that come after their end are old.
 *
 * @param now milliseconds since the epoch
 */
export function withOutage(known: readonly Outage[], told: Outage, now: number): Outage[] {
  const isOld =
    told.until === undefined && known.some(({ until }) => until !== undefined && isBefore(told.from, until));
  const ended = known.map((outage) => endedBy(outage, told));
  return awayTimes(isOld ? ended : [...ended, told])
    .filter(({ until }) => until > now - KEPT_MS)
    .slice(-MOST_KEPT)
    .map(outageOf);
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
