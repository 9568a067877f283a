import type { Clock } from '../../providers/clock.ts';

/** How often a worker asks budgets that hold drains, all drains together: this long for each drain, in milliseconds. */
const EACH_MS = 200;
/** However many are held, each asks so often, in milliseconds. */
const MOST_MS = 30_000;
/** A drain that a budget did not hold for so long is over, or goes on: in milliseconds. */
const FORGOTTEN_MS = 2 * MOST_MS;

/** The drains that budgets hold. The more there are, the more seldom each asks: a few hundred shall not slow down everything else. */
export class HeldDrains {
  readonly #clock: Clock;
  /** When each was held last, on the clock that never goes back; the one that was held last is the last. */
  readonly #heldAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A budget holds a pod on this Node. @returns how long it waits at least until it asks again, in milliseconds */
  held(nodeUid: string): number {
    const now = this.#clock.now();
    this.#heldAt.delete(nodeUid);
    this.#heldAt.set(nodeUid, now);
    for (const [uid, at] of this.#heldAt) {
      if (at >= now - FORGOTTEN_MS) break;
      this.#heldAt.delete(uid);
    }
    return Math.min(this.#heldAt.size * EACH_MS, MOST_MS);
  }
}
