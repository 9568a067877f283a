import { BoundedMap } from '../../providers/bounded-map.ts';
import type { Clock } from '../../providers/clock.ts';
import { agoMs, momentOf, type Moment } from '../../providers/moment.ts';
import { endsWithin } from '../ask-on.ts';

/** Looks that are remembered. */
const MOST = 5000;
/** How old a look may be by which the next pass goes, in milliseconds. */
const KEPT_MS = 15_000;

/** The time of a pass is over, and a look is not: it goes on. */
export class PassOver extends Error {}

/** What was seen, and when the look began. */
export interface Carried<T> {
  readonly seen: T;
  readonly began: Moment;
}

interface Look<T> {
  readonly began: Moment;
  readonly answer: Promise<T>;
}

/**
 * Looks of passes, for all drains of a worker. What a pass has not come to the end of goes on, and what it has seen stays: the next pass
 * goes by that, until one drops it.
 */
export class CarriedLooks<T> {
  readonly #clock: Clock;
  readonly #looks = new BoundedMap<string, Look<T>>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param key equal for what the passes of one drain look at
   * @param until when the pass has to be over, on the clock that never goes back
   * @throws PassOver where it is over before the answer is there; and what `look` throws
   */
  async take(key: string, until: number, look: () => Promise<T>): Promise<Carried<T>> {
    const { began, answer } = this.#known(key) ?? this.#begin(key, until, look);
    if (await endsWithin(this.#clock, answer, Math.max(0, until - this.#clock.now()))) {
      return { seen: await answer, began };
    }
    throw new PassOver();
  }

  /** Has the next pass go by this, in place of what was seen. */
  put(key: string, { seen, began }: Carried<T>): void {
    this.#looks.set(key, { began, answer: Promise.resolve(seen) });
  }

  /** Nobody goes by this look any more. */
  drop(key: string): void {
    this.#looks.delete(key);
  }

  #known(key: string): Look<T> | undefined {
    const known = this.#looks.get(key);
    return known !== undefined && agoMs(this.#clock, known.began) < KEPT_MS ? known : undefined;
  }

  #begin(key: string, until: number, look: () => Promise<T>): Look<T> {
    if (this.#clock.now() >= until) throw new PassOver();
    const begun = { began: momentOf(this.#clock), answer: look() };
    this.#looks.set(key, begun);
    return begun;
  }
}
