/** Longest wait that a cloud's `Retry-After`, or the API server's, is followed for, in milliseconds. */
export const MOST_RETRY_AFTER_MS = 5 * 60_000;

/**
 * The wait that an answer's header `Retry-After` asks for, in milliseconds, {@link MOST_RETRY_AFTER_MS} at most: a wrong
 * answer must not hold up a machine for days. Undefined where there is none to be read.
 *
 * @param header seconds, or a date of HTTP (RFC 9110, 10.2.3)
 * @param now milliseconds since the epoch, as dates are told
 */
export function readRetryAfter(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  // A number is no date, whatever Date.parse makes of it.
  const ms = /^[\d.+-]+$/.test(text) ? secondsOf(text) * 1000 : Date.parse(text) - now;
  return ms >= 0 ? Math.min(ms, MOST_RETRY_AFTER_MS) : undefined;
}

function secondsOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : NaN;
}
