import type { Clock } from './clock.ts';

/**
 * A moment, by both clocks of a host: the one that never goes back may stand still while a computer is suspended, and the time of day
 * may be set back. Milliseconds.
 */
export interface Moment {
  readonly now: number;
  readonly timeOfDay: number;
}

/** This moment. */
export function momentOf(clock: Pick<Clock, 'now' | 'timeOfDay'>): Moment {
  return { now: clock.now(), timeOfDay: clock.timeOfDay() };
}

/** How long ago it was, in milliseconds, by the clock that tells of more: for what must not be acted on when it is old. */
export function agoMs(clock: Pick<Clock, 'now' | 'timeOfDay'>, { now, timeOfDay }: Moment): number {
  return Math.max(clock.now() - now, clock.timeOfDay() - timeOfDay);
}

/**
 * Tells whether so long has gone by since a look, in milliseconds, that nothing is to be done by it any more: a process may have stood
 * still since, or its computer was suspended.
 */
export function lateAfter(clock: Pick<Clock, 'now' | 'timeOfDay'>, lookedAt: Moment, mostMs: number): () => boolean {
  return () => agoMs(clock, lookedAt) > mostMs;
}
