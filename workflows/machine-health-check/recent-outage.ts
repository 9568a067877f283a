import type { Away } from './away.ts';
import type { Brake } from './decision.ts';

/** The API server is away, or was a moment ago: what it says of Nodes is old. */
export interface RecentOutage {
  readonly brake: Brake & { readonly reason: 'RecentOutage' };
  /** When it is over, or looked at again; in milliseconds since the epoch. */
  readonly until: number;
}

/** @param graceMs how long the control plane takes to see again which Nodes answer */
export function recentOutage(away: readonly Away[], graceMs: number, now: number): RecentOutage | undefined {
  const last = away.filter(({ from }) => from <= now).at(-1);
  if (last === undefined || last.until + graceMs <= now) return undefined;
  const isLasting = last.until > now;
  const until = isLasting ? now + graceMs : last.until + graceMs;
  const message = isLasting
    ? `the API server is away since ${timeOf(last.from)}: nothing is remediated before it answers again`
    : `the API server was away from ${timeOf(last.from)} to ${timeOf(last.until)}: nothing is remediated before ${timeOf(until)}, when the control plane knows again which Nodes answer`;
  return { brake: { reason: 'RecentOutage', message }, until };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
