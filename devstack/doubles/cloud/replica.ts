/** One of several places that answer reads: it hears of everything, each time so much later. */

import type { CloudInstance } from './cloud-instance.ts';
import { Fleet } from './fleet.ts';

export class Replica {
  readonly #fleet = new Fleet();
  readonly #lagMs: number;
  readonly #beganAt: number;
  /** Changes that it has not heard of, the oldest first. */
  #coming: { readonly at: number; readonly instance: CloudInstance }[] = [];

  /** @param known what it begins with */
  constructor(lagMs: number, known: Iterable<CloudInstance>, now: number) {
    this.#lagMs = lagMs;
    this.#beganAt = now;
    for (const instance of known) this.#fleet.put(instance);
  }

  /** An instance that is new or other than before. */
  put(instance: CloudInstance, now: number): void {
    this.#coming.push({ at: now, instance });
  }

  /** What it knows now, and of which moment that is. */
  at(now: number): { readonly fleet: Fleet; readonly now: number } {
    const shown = Math.max(this.#beganAt, now - this.#lagMs);
    // Not by what is shown: a change in the very moment in which it began comes as late as any other.
    const heard = this.#coming.findIndex(({ at }) => at > now - this.#lagMs);
    for (const { instance } of this.#coming.splice(0, heard < 0 ? this.#coming.length : heard)) {
      this.#fleet.put(instance);
    }
    return { fleet: this.#fleet, now: shown };
  }
}
