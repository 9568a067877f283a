/**
 * Whether a Machine is left alone now.
 *
 * @param skip until when, RFC 3339; empty, or no time: for as long as that is said; undefined: nobody said it
 * @param now milliseconds since the epoch
 */
export function isSkipped(skip: string | undefined, now: number): boolean {
  if (skip === undefined) return false;
  const until = Date.parse(skip);
  return Number.isNaN(until) || now < until;
}
