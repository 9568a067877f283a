/** Longest wait for others' launches, in milliseconds: a cloud takes about as long to start an instance. */
const MOST_MS = 1000;

/**
 * Lets launches go before what is written about them. An instance takes its time in the cloud from the call on, so while
 * many machines come up at once, the writes about the first are done while the last ones' instances start, and not before
 * they are asked for.
 */
export class LaunchesFirst {
  #underWay = 0;
  readonly #waiting = new Set<() => void>();

  /** Counts `run` as a part of a launch; not the call itself, which only waits for the cloud. */
  async launching<T>(run: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await run();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#waiting) resolve();
    }
  }

  /** Resolves when no launch is under way, or after a second. */
  async turn(): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, MOST_MS);
      this.#waiting.add(end);
    });
  }
}
