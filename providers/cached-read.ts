/** Remembers the answers of a read for a short while; those who ask at the same time share one read. */

import { BoundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';

export interface CachedReadOptions {
  /** How long an answer counts, in ms, from when it was asked for. */
  readonly ttlMs: number;
  /** Most answers that are remembered; beyond it, the one that was asked for longest ago is forgotten. @default 1000 */
  readonly most?: number;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * @param read its key is told apart by its JSON; a failure is passed on to all who wait for it and is not remembered
 */
export function createCachedRead<K, T>(
  read: (key: K) => Promise<T>,
  { ttlMs, most = 1000, clock }: CachedReadOptions,
): (key: K) => Promise<T> {
  const answers = new BoundedMap<string, { readonly answer: Promise<T>; readonly until: number }>(most);
  return (key) => {
    const name = JSON.stringify(key);
    const known = answers.get(name);
    if (known !== undefined && clock.now() < known.until) return known.answer;
    const entry = { answer: read(key), until: clock.now() + ttlMs };
    answers.set(name, entry);
    entry.answer.catch(() => {
      if (answers.get(name) === entry) answers.delete(name);
    });
    return entry.answer;
  };
}
