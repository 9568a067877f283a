import type { Clock } from '../providers/clock.ts';

/**
 * Lets one kind of work of a worker go before what comes after it. While launches, or evictions, of many machines are under way at once, the
 * writes about the first of them are done while the last ones' instances start, or pods end, and not before these are asked for.
 */
export class GoFirst {
  readonly #clock: Clock;
  #underWay = 0;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts `run` as work that goes first. */
  async doing<T>(run: () => Promise<T>): Promise<T> {
    const done = this.begin();
    try {
      return await run();
    } finally {
      done();
    }
  }

  /** The same from here on, until what it answers is called, once or again. */
  begin(): () => void {
    let isUnderWay = true;
    this.#underWay += 1;
    return () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#waiting) resolve();
    };
  }

  /** Resolves when no such work is under way, or after so many milliseconds. */
  async turn(mostMs: number): Promise<void> {
    if (this.#underWay === 0 || mostMs <= 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        callOff();
        this.#waiting.delete(end);
        resolve();
      };
      const callOff = this.#clock.after(mostMs, end);
      this.#waiting.add(end);
    });
  }
}
