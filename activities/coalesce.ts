import { delay, type Clock } from '../providers/clock.ts';

/**
 * Shares one call among all who ask for the same thing at the same time: the answer of a call counts for everyone who
 * asked before it began, and for nobody who asked after. So it is as fresh as a call of one's own.
 *
 * @param gatherMs how long the first one to ask waits for others, in milliseconds, or what tells
 */
export function coalesce<T>(
  clock: Clock,
  call: (key: string) => Promise<T>,
  gatherMs: number | (() => number),
): (key: string) => Promise<T> {
  const waiting = new Map<string, Promise<T>>();
  return (key) => {
    const shared = waiting.get(key);
    if (shared !== undefined) return shared;
    const own = delay(clock, typeof gatherMs === 'number' ? gatherMs : gatherMs()).then(() => {
      waiting.delete(key);
      return call(key);
    });
    waiting.set(key, own);
    return own;
  };
}
