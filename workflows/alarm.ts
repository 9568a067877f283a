import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import { timerSummary } from './summary.ts';

/**
 * The one timer of an entity. Setting it to the time it has costs nothing, so a deadline that outlives many passes is one
 * timer in the history, not one per pass.
 */
export class Alarm {
  hasRung = false;
  private at: number | undefined;
  private scope: CancellationScope | undefined;

  /**
   * @param at milliseconds since the epoch; undefined: no alarm
   * @param why shown with the timer in the Temporal UI
   */
  set(at: number | undefined, why: string): void {
    this.hasRung = false;
    if (at === this.at && this.scope !== undefined) return;
    this.scope?.cancel();
    this.scope = undefined;
    this.at = at;
    if (at === undefined) return;
    const scope = new CancellationScope();
    this.scope = scope;
    scope
      .run(async () => {
        const now = Date.now();
        await sleep(Math.max(1, at - now), { summary: timerSummary(at, why, now) });
        this.scope = undefined;
        this.hasRung = true;
      })
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }
}
