/** Remembers the answers of a read for a short while; those who ask at the same time share one read. */

export interface CachedReadOptions {
  /** How long an answer counts, in ms, from when it was asked for. */
  readonly ttlMs: number;
  /** Milliseconds, never going back. @default performance.now */
  readonly now?: () => number;
}

/**
 * @param read its key is told apart by its JSON; a failure is passed on to all who wait for it and is not remembered
 */
export function createCachedRead<K, T>(
  read: (key: K) => Promise<T>,
  { ttlMs, now = () => performance.now() }: CachedReadOptions,
): (key: K) => Promise<T> {
  const answers = new Map<string, { readonly answer: Promise<T>; readonly until: number }>();
  return (key) => {
    const name = JSON.stringify(key);
    const known = answers.get(name);
    if (known !== undefined && now() < known.until) return known.answer;
    for (const [old, { until }] of answers) if (until <= now()) answers.delete(old);
    const entry = { answer: read(key), until: now() + ttlMs };
    answers.set(name, entry);
    entry.answer.catch(() => {
      if (answers.get(name) === entry) answers.delete(name);
    });
    return entry.answer;
  };
}
