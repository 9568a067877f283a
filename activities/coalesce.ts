import { delay, type Clock } from '../providers/clock.ts';

/**
 * Shares one call among all who ask for the same thing at the same time: the answer of a call counts for everyone who
 * asked before it began, and for nobody who asked after. So it is as fresh as a call of one's own. Who is content with less says
 * how old an answer may be, in milliseconds; it stays in memory until another takes its place.
 *
 * @param gatherMs how long the first one to ask waits for others, in milliseconds, or what tells
 * @param isHeavy it takes long where there is much of it: a call for the same thing begins when the last one is over, so that a busy API
 *   server is not asked for the same list several times at once. @default false
 */
export function coalesce<T>(
  clock: Clock,
  call: (key: string) => Promise<T>,
  gatherMs: number | (() => number),
  { isHeavy = false }: { readonly isHeavy?: boolean } = {},
): (key: string, mostMs?: number) => Promise<T> {
  const waiting = new Map<string, Promise<T>>();
  const underWay = new Map<string, Promise<unknown>>();
  const kept = new Map<string, { readonly answer: Promise<T>; readonly at: number }>();
  return (key, mostMs = 0) => {
    const last = kept.get(key);
    if (last !== undefined && clock.now() - last.at < mostMs) return last.answer;
    const answer = waiting.get(key) ?? begin(key);
    if (mostMs > 0) keep(key, answer);
    return answer;
  };

  function begin(key: string): Promise<T> {
    const own = gathered(key).then(() => {
      waiting.delete(key);
      const answer = call(key);
      if (isHeavy) underWay.set(key, whenOver(answer));
      return answer;
    });
    waiting.set(key, own);
    return own;
  }

  async function gathered(key: string): Promise<void> {
    await delay(clock, typeof gatherMs === 'number' ? gatherMs : gatherMs());
    await underWay.get(key);
  }

  function keep(key: string, answer: Promise<T>): void {
    const own = { answer, at: clock.now() };
    kept.set(key, own);
    answer.catch(() => {
      if (kept.get(key) === own) kept.delete(key);
    });
  }
}

async function whenOver(call: Promise<unknown>): Promise<void> {
  await call.catch(() => {});
}
