import { delay, type Clock } from './clock.ts';

export interface VirtualClockOptions {
  /** At the beginning, in milliseconds since the epoch. @default 0 */
  readonly timeOfDay?: number;
  /** In [0, 1). @default always 0 */
  readonly random?: () => number;
}

/** For tests: time that passes only when it is told to. */
export class VirtualClock implements Clock {
  #now = 0;
  #timeOfDay: number;
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  readonly #random: () => number;

  constructor({ timeOfDay = 0, random = () => 0 }: VirtualClockOptions = {}) {
    this.#timeOfDay = timeOfDay;
    this.#random = random;
  }

  /** Timers that have not run and were not called off. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Those of them that are to run within so many milliseconds. */
  pendingWithin(ms: number): number {
    return this.#timers.filter(({ at }) => at <= this.#now + ms).length;
  }

  now(): number {
    return this.#now;
  }

  timeOfDay(): number {
    return this.#timeOfDay + this.#now;
  }

  random(): number {
    return this.#random();
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  sleep(ms: number): Promise<void> {
    return delay(this, ms);
  }

  /** Somebody sets the host's clock by so many milliseconds. */
  set(ms: number): void {
    this.#timeOfDay += ms;
  }

  /** The process works, or stands still, for so long: no timer runs meanwhile. */
  standStill(ms: number): void {
    this.#now += ms;
  }

  /** Lets time pass; what is due on the way is done in its order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await promisesRun();
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await promisesRun();
    }
    this.#now = end;
  }
}

/** All that promises lead to has been done. */
function promisesRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
