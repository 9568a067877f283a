import type { Span } from '../spans.ts';
import type { Outage } from './health-activities.ts';

/** A time in which the API server was away, so that nobody could tell anything. In milliseconds since the epoch. */
export type Away = Span;

/** The outages in order, none of which overlaps another. What is no time is none, and what nobody saw may be none. */
export function awayTimes(outages: readonly Outage[]): Away[] {
  const times = outages
    .filter((outage) => !isUnwatched(outage))
    .map(({ from, until }) => ({ from: Date.parse(from), until: until === undefined ? Infinity : Date.parse(until) }))
    .filter(({ from, until }) => from < until)
    .sort((a, b) => a.from - b.from);
  return times.reduce<Away[]>((all, time) => {
    const last = all.at(-1);
    if (last === undefined || time.from > last.until) return [...all, time];
    return [...all.slice(0, -1), { from: last.from, until: Math.max(last.until, time.until) }];
  }, []);
}

/** It is a time in which nobody saw whether the API server was away. */
export function isUnwatched({ unwatched }: Outage): boolean {
  return unwatched === true;
}

/** How long it was away between two times. */
export function awayMs(away: readonly Away[], from: number, to: number): number {
  const parts = away.map((time) => Math.max(0, Math.min(time.until, to) - Math.max(time.from, from)));
  return parts.reduce((sum, part) => sum + part, 0);
}
