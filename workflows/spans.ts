/** A time from a moment to another, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  /** Infinity: it lasts. */
  readonly until: number;
}

/**
 * When something has lasted for so long. Times that do not count, in their order, move that, and restart nothing. Infinity: not while the one
 * lasts that there is.
 */
export function hasLastedAt(since: number, ms: number, uncounted: readonly Span[]): number {
  let at = since + ms;
  for (const { from, until } of uncounted) {
    if (from >= at) break;
    if (until > since) at += until - Math.max(from, since);
  }
  return at;
}
