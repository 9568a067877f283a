import type { Clock } from '../providers/clock.ts';

/** Longest wait for others' launches, in milliseconds: a cloud takes about as long to start an instance. */
const MOST_MS = 1000;

/**
 * Lets launches go before what is written about them. An instance takes its time in the cloud from the call on, so while
 * many machines come up at once, the writes about the first are done while the last ones' instances start, and not before
 * they are asked for.
 */
export class LaunchesFirst {
  readonly #clock: Clock;
  #underWay = 0;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

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
        callOff();
        this.#waiting.delete(end);
        resolve();
      };
      const callOff = this.#clock.after(MOST_MS, end);
      this.#waiting.add(end);
    });
  }
}
