/** Nothing tells when the Cluster of an object can be read again: it is looked at so often, in milliseconds. */
export const UNSURE_LOOK_MS = 300_000;
/** What is due by Temporal's clock is not yet by the worker's: it is looked at again after so long, in milliseconds. */
const SLOW_CLOCK_LOOK_MS = 5000;

/** When something is looked at that is due then; where that has come, and nothing was seen of it, a little later. In milliseconds. */
export function orSoon(at: number, now: number): number {
  return at > now ? at : now + SLOW_CLOCK_LOOK_MS;
}
