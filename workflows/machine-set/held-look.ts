/** Machines that a set waits for say when something changes; of the pause of its deployment nothing tells it. Milliseconds. */
const SOONEST_MS = 10_000;
/** A deployment that is paused for days, or short of machines, needs no look each moment. Milliseconds. */
const LATEST_MS = 60_000;
/** So large a share of the time that was waited so far is waited for longer. */
const SHARE = 0.1;

/**
 * When a set looks again that may not delete yet what it was told to, in milliseconds since the epoch.
 *
 * @param since when it was told first that it may not
 */
export function heldLookAt(since: number, now: number): number {
  return now + Math.min(LATEST_MS, Math.max(SOONEST_MS, (now - since) * SHARE));
}
