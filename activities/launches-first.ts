import { setTimeout as delay } from 'node:timers/promises';

/** Longest wait for others' launches, in milliseconds: a cloud takes about as long to start an instance. */
const MOST_MS = 1000;

/**
 * Lets launches go before what is written about them. An instance takes its time in the cloud from the call on, so while
 * many machines come up at once, the writes about the first are done while the last ones' instances start, and not before
 * they are asked for.
 */
export class LaunchesFirst {
  #underWay = 0;
  #ended: (() => void)[] = [];

  /** Counts `run` as a part of a launch; not the call itself, which only waits for the cloud. */
  async launching<T>(run: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await run();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#ended.splice(0)) resolve();
    }
  }

  /** Resolves when no launch is under way, or after a second. */
  async turn(): Promise<void> {
    if (this.#underWay === 0) return;
    const timeout = new AbortController();
    const ended = new Promise<void>((resolve) => this.#ended.push(resolve));
    await Promise.race([ended, delay(MOST_MS, undefined, { signal: timeout.signal }).catch(() => {})]);
    timeout.abort();
  }
}
