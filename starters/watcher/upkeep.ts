import type { Logger } from 'pino';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { describeRef } from '../../k8s/model/object-ref.ts';
import { delay, type Clock } from '../../providers/clock.ts';
import { describeTemporalFailure } from '../../process/temporal-failure.ts';

export interface UpkeepOptions {
  /** Between two looks whether the cluster's own workflows run, in milliseconds. */
  readonly inventoryCheckMs: number;
  /** In this time every object's workflow is looked at once, in milliseconds. */
  readonly slowSweepMs: number;
  /** Most objects that are looked at in a second, however many there are. */
  readonly perSecond: number;
  /** Whether there is anything to be done now: this watcher is the active one, and Temporal is there. */
  readonly isActive: () => boolean;
  /** Starts the inventory and the safety workflow where they do not run. */
  readonly ensureClusterWorkflows: () => void;
  /** Every object that has a workflow. */
  readonly refs: () => readonly ObjectRef[];
  /** Starts the workflow of an object where it does not run; true where it was started. */
  readonly ensure: (ref: ObjectRef) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Starts again what ended although it is still wanted, and of which no change tells: the inventory and the safety workflow, looked at every minute;
 * and, spread over a long while, the workflow of each object. Of those the inventory finds most, and sooner; this finds also
 * what Temporal forgot, and what the inventory would find if it ran. Who runs is left alone: a quiet machine gets no task.
 */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #ended = new AbortController();

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#keepClusterWorkflows();
    void this.#sweep();
  }

  stop(): void {
    this.#ended.abort();
  }

  async #keepClusterWorkflows(): Promise<void> {
    const { inventoryCheckMs, isActive, ensureClusterWorkflows } = this.#options;
    while (await this.#pause(inventoryCheckMs)) {
      if (isActive()) ensureClusterWorkflows();
    }
  }

  async #sweep(): Promise<void> {
    const { slowSweepMs, perSecond, refs } = this.#options;
    for (;;) {
      const objects = refs();
      const gapMs = Math.max(slowSweepMs / Math.max(1, objects.length), 1000 / perSecond);
      // Without objects there is nothing to be looked at, but a while later there may be.
      if (objects.length === 0 && !(await this.#pause(gapMs))) return;
      for (const ref of objects) {
        if (!(await this.#pause(gapMs))) return;
        await this.#look(ref);
      }
    }
  }

  async #look(ref: ObjectRef): Promise<void> {
    const { isActive, ensure, log } = this.#options;
    if (!isActive()) return;
    try {
      if (await ensure(ref)) log.warn({ object: ref }, `the workflow of ${describeRef(ref)} had ended: started again`);
    } catch (error) {
      // Its turn comes again.
      log.debug({ object: ref, error: describeTemporalFailure(error) }, 'could not look at a workflow');
    }
  }

  /** False: it is over. */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#ended;
    await delay(this.#options.clock, ms, signal);
    return !signal.aborted;
  }
}
