import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import { timerSummary } from './summary.ts';

/**
 * The one timer of an entity. Setting it to the time it has costs nothing, so a deadline that outlives many passes is one
 * timer in the history, not one per pass.
 */
export class Alarm {
  hasRung = false;
  #at: number | undefined;
  #why = '';
  #timer: { readonly at: number; readonly scope: CancellationScope } | undefined;

  /**
   * It takes effect with {@link arm}. Until then the timer that runs goes on, and rings for its own time only.
   *
   * @param at milliseconds since the epoch; undefined: no alarm
   * @param why shown with the timer in the Temporal UI
   */
  set(at: number | undefined, why: string): void {
    this.hasRung = false;
    this.#at = at;
    this.#why = why;
  }

  /**
   * Starts the timer, unless it runs for this time already. To be called at rest only. Between two passes without a rest, a replay may
   * let less time go by than the first run did. Two times that differed then may be one in the replay, which would start one timer less.
   */
  arm(): void {
    if (this.#timer?.at === this.#at) return;
    this.#timer?.scope.cancel();
    this.#timer = undefined;
    if (this.#at !== undefined) this.#start(this.#at);
  }

  #start(at: number): void {
    const timer = { at, scope: new CancellationScope() };
    this.#timer = timer;
    timer.scope
      .run(async () => {
        const now = Date.now();
        await sleep(Math.max(1, at - now), { summary: timerSummary(at, this.#why, now) });
        if (this.#timer === timer) this.#timer = undefined;
        this.hasRung = this.hasRung || this.#at === at;
      })
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }
}
