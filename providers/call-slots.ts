/**
 * How many calls of a kind may be under way at once. A cloud that answers never makes anybody wait long for his turn; one that
 * hangs takes these places and no more: the next call is turned away at once.
 */

import type { Clock } from './clock.ts';

export interface CallSlotsOptions {
  /** Calls under way at once. */
  readonly most: number;
  /** Where the oldest call is under way for this long, nobody waits for its place, in milliseconds. */
  readonly slowMs: number;
  /** Longest wait for a place, in milliseconds. */
  readonly mostWaitMs: number;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

export class CallSlots {
  readonly #options: CallSlotsOptions;
  /** When each call began, oldest first. */
  readonly #underWay = new Map<symbol, number>();
  readonly #waiting: (() => void)[] = [];

  constructor(options: CallSlotsOptions) {
    this.#options = options;
  }

  /** Resolves with what gives the place back; with undefined where there is none. */
  async take(): Promise<(() => void) | undefined> {
    const { clock, mostWaitMs } = this.#options;
    const until = clock.now() + mostWaitMs;
    // Whoever comes now stands behind those who wait, also where one of them has just been called.
    for (
      let isNew = true;
      this.#underWay.size >= this.#options.most || (isNew && this.#waiting.length > 0);
      isNew = false
    ) {
      const patienceMs = Math.min(this.#untilSlowMs(), until - clock.now());
      if (patienceMs <= 0) return undefined;
      await this.#untilFreed(patienceMs);
    }
    const call = Symbol('call');
    this.#underWay.set(call, clock.now());
    return () => {
      this.#underWay.delete(call);
      this.#waiting.shift()?.();
    };
  }

  #untilSlowMs(): number {
    const [oldest = 0] = this.#underWay.values();
    return oldest + this.#options.slowMs - this.#options.clock.now();
  }

  /** Until a place was given back, or this time is over; first come, first served. */
  async #untilFreed(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        callOff();
        const place = this.#waiting.indexOf(end);
        if (place !== -1) this.#waiting.splice(place, 1);
        resolve();
      };
      const callOff = this.#options.clock.after(Math.ceil(ms), end);
      this.#waiting.push(end);
    });
  }
}
