import { delay, type Clock } from '../providers/clock.ts';

/**
 * Shares one call among all who ask for the same thing at the same time: the answer of a call counts for everyone who
 * asked before it began, and for nobody who asked after. So it is as fresh as a call of one's own. Who is content with less says
 * how old an answer may be, in milliseconds; it stays in memory until another takes its place.
 *
 * @param gatherMs how long the first one to ask waits for others, in milliseconds, or what tells
 */
export function coalesce<T>(
  clock: Clock,
  call: (key: string) => Promise<T>,
  gatherMs: number | (() => number),
): (key: string, mostMs?: number) => Promise<T> {
  const waiting = new Map<string, Promise<T>>();
  const kept = new Map<string, { readonly answer: Promise<T>; readonly at: number }>();
  return (key, mostMs = 0) => {
    const last = kept.get(key);
    if (last !== undefined && clock.now() - last.at < mostMs) return last.answer;
    const answer = waiting.get(key) ?? begin(key);
    if (mostMs > 0) keep(key, answer);
    return answer;
  };

  function begin(key: string): Promise<T> {
    const own = delay(clock, typeof gatherMs === 'number' ? gatherMs : gatherMs()).then(() => {
      waiting.delete(key);
      return call(key);
    });
    waiting.set(key, own);
    return own;
  }

  function keep(key: string, answer: Promise<T>): void {
    const own = { answer, at: clock.now() };
    kept.set(key, own);
    answer.catch(() => {
      if (kept.get(key) === own) kept.delete(key);
    });
  }
}
