import { awayTimes, isUnwatched } from './away.ts';
import type { Brake } from './decision.ts';
import type { Outage } from './health-activities.ts';

/** The API server is away, or was a moment ago, or nobody knows: what it says of Nodes may be old. */
export interface RecentOutage {
  readonly brake: Brake & { readonly reason: 'RecentOutage' };
  /** When it is over, or looked at again; in milliseconds since the epoch. */
  readonly until: number;
}

/** @param graceMs how long the control plane takes to see again which Nodes answer */
export function recentOutage(outages: readonly Outage[], graceMs: number, now: number): RecentOutage | undefined {
  const last = awayTimes(outages)
    .filter(({ from }) => from <= now)
    .at(-1);
  if (last === undefined || last.until + graceMs <= now) return recentlyUnwatched(outages, graceMs, now);
  const isLasting = last.until > now;
  const until = isLasting ? now + graceMs : last.until + graceMs;
  const message = isLasting
    ? `the API server is away since ${timeOf(last.from)}: nothing is remediated before it answers again`
    : `the API server was away from ${timeOf(last.from)} to ${timeOf(last.until)}: nothing is remediated before ${timeOf(until)}, when the control plane knows again which Nodes answer`;
  return { brake: { reason: 'RecentOutage', message }, until };
}

function recentlyUnwatched(outages: readonly Outage[], graceMs: number, now: number): RecentOutage | undefined {
  const last = outages.find(isUnwatched);
  if (last?.until === undefined) return undefined;
  const until = Date.parse(last.until) + graceMs;
  if (until <= now) return undefined;
  const message = `no watcher was at work from ${last.from} to ${last.until}, so that nobody knows whether the API server was away: nothing is remediated before ${timeOf(until)}, when the control plane would know again which Nodes answer`;
  return { brake: { reason: 'RecentOutage', message }, until };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
