import { isPassing } from '../../k8s/kube-error.ts';
import { BoundedMap } from '../../providers/bounded-map.ts';
import type { Clock } from '../../providers/clock.ts';
import type { Outage } from '../../workflows/machine-health-check/health-activities.ts';

/** A look that was repeated for less long is none that the API server was away for, in milliseconds: a connection was lost, and made again. */
const SHORTEST_MS = 2000;
/** The same for one that was answered at once, and late. */
const LATE_MS = 10_000;
/** Checks whose looks are remembered. */
const MOST = 1000;

/**
 * Notices that the API server was away by looks at health checks that it did not answer. A watcher notices more, and sooner; but it may have been
 * away itself, and nobody else would know of the outage then.
 */
export class UnansweredLooks {
  readonly #clock: Clock;
  /** Since when a look is not answered, by the check's uid; on the clock that never goes back. */
  readonly #since = new BoundedMap<string, number>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What the look answers, and the outage that it had to wait for. */
  async look<T>(uid: string, look: () => Promise<T>): Promise<{ readonly seen: T; readonly outage?: Outage }> {
    const beganAt = this.#clock.now();
    const failing = this.#since.get(uid);
    try {
      const seen = await look();
      this.#since.delete(uid);
      const ms = this.#clock.now() - (failing ?? beganAt);
      return ms < (failing === undefined ? LATE_MS : SHORTEST_MS) ? { seen } : { seen, outage: this.#ofLast(ms) };
    } catch (error) {
      if (!isPassing(error)) this.#since.delete(uid);
      else if (failing === undefined) this.#since.set(uid, beganAt);
      throw error;
    }
  }

  #ofLast(ms: number): Outage {
    const until = this.#clock.timeOfDay();
    return { from: new Date(until - ms).toISOString(), until: new Date(until).toISOString() };
  }
}
