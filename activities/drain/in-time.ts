import type { Clock } from '../../providers/clock.ts';
import { lateAfter, type Moment } from '../../providers/moment.ts';

/**
 * An abort, a pause or a hook may have come since the look at the Machine by which its Node is drained. It is acknowledged 25 s later,
 * when no request from before can take effect any more: so nothing is sent that could. The look may be a second old when a pass begins.
 */

/** Longest time from the look to the request that a pod go, whose answer is waited for 15 s, in milliseconds. */
const ASKED_WITHIN_MS = 8000;
/** The same to a write of the Node or of a Deployment, whose answer is waited for 10 s. */
const WRITTEN_WITHIN_MS = 14_000;

/** Whether it is too late to ask a pod to go. */
export function askedLate(clock: Clock, lookedAt: Moment): () => boolean {
  return lateAfter(clock, lookedAt, ASKED_WITHIN_MS);
}

/** The same for a write. */
export function writtenLate(clock: Clock, lookedAt: Moment): () => boolean {
  return lateAfter(clock, lookedAt, WRITTEN_WITHIN_MS);
}
