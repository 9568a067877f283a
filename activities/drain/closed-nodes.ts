import { BoundedMap } from '../../providers/bounded-map.ts';
import type { Clock } from '../../providers/clock.ts';

/** Nodes that are remembered. */
const MOST = 5000;

/**
 * Since when this process knows Nodes to be closed, on the clock that never goes back. The time that a pass is given does not tell: it is
 * that of the question, and the answer may have been waited for since, also by a try before this one.
 */
export class ClosedNodes {
  readonly #clock: Clock;
  readonly #since = new BoundedMap<string, number>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Closes a Node, and answers since when it is closed at the latest. Where that was not seen here, it is from now on: a worker before this
   * one may have closed it just now.
   *
   * @param key equal for what is closed in the same way
   */
  async close<T extends { readonly isNew: boolean }>(
    key: string,
    close: () => Promise<T>,
  ): Promise<T & { since: number }> {
    const known = this.#since.get(key);
    // Where no answer comes, it may have been closed only now.
    this.#since.delete(key);
    const closed = await close();
    const since = (closed.isNew ? undefined : known) ?? this.#clock.now();
    this.#since.set(key, since);
    return { ...closed, since };
  }
}
