import { delayAfter } from '../temporal/retry-policy.ts';
import type { LocalActivityMarker, Payload, RetryPolicy, TimeoutType } from '../temporal/history-event.ts';
import type { ActivityOutcome } from '../temporal/tasks.ts';
import type { Clock } from '../../../providers/clock.ts';
import { TIMEOUTS } from './jobs.ts';
import { given } from '../../../providers/given.ts';

/** What a workflow asks for. Times in milliseconds; 0: no limit. */
export interface LocalActivity {
  readonly seq: number;
  readonly activityType: string;
  readonly input: readonly Payload[];
  /** The first attempt of this request: earlier ones were followed by a timer. */
  readonly attempt: number;
  readonly originalScheduleTime: number;
  readonly startToCloseMs: number;
  readonly scheduleToCloseMs: number;
  /** A longer wait before an attempt is a timer of the workflow. */
  readonly thresholdMs: number;
  readonly retry: RetryPolicy;
  readonly summary?: Payload;
}

export interface Attempt {
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/**
 * Tries until it works, may not be tried again, or has to wait for so long that the workflow waits itself.
 *
 * @param scheduledAt workflow time when it was asked for
 */
export async function runLocalActivity(
  clock: Pick<Clock, 'now' | 'after' | 'timeOfDay'>,
  activity: LocalActivity,
  scheduledAt: number,
  run: (attempt: Attempt) => Promise<ActivityOutcome>,
): Promise<LocalActivityMarker> {
  const { seq, activityType, retry, thresholdMs, originalScheduleTime, summary, scheduleToCloseMs } = activity;
  const closeAt = scheduleToCloseMs === 0 ? Infinity : originalScheduleTime + scheduleToCloseMs;
  for (let { attempt } = activity; ; attempt += 1) {
    const startedAt = clock.now();
    const leftMs = closeAt - clock.timeOfDay();
    // As the SDK's core has it: what comes too late is not begun; what got too late in a wait of the core's own goes on for ever.
    const { outcome, isOver } =
      leftMs > 0 || attempt > activity.attempt
        ? await timely(clock, activity, leftMs > 0 ? leftMs : Infinity, attempt, run)
        : { outcome: timedOut('scheduleToClose'), isOver: true };
    const marker = {
      seq,
      activityType,
      attempt,
      // As the SDK's core has it: the time of the last attempt only.
      completeTime: scheduledAt + (clock.now() - startedAt),
      originalScheduleTime,
      ...given({ summary }),
    };
    if (!('failure' in outcome)) return { ...marker, ...given({ result: outcome.result }) };
    const { failure } = outcome;
    const ms = isOver ? undefined : delayAfter(retry, attempt, failure);
    if (ms === undefined) return { ...marker, failure };
    if (ms > thresholdMs) return { ...marker, failure, backoffMs: ms };
    await new Promise<void>((resolve) => void clock.after(ms, resolve));
  }
}

/** One attempt, which is given up when its time is over. */
async function timely(
  clock: Pick<Clock, 'after'>,
  { startToCloseMs }: LocalActivity,
  leftMs: number,
  attempt: number,
  run: (attempt: Attempt) => Promise<ActivityOutcome>,
): Promise<{ readonly outcome: ActivityOutcome; readonly isOver: boolean }> {
  const limits = [
    { ms: startToCloseMs === 0 ? Infinity : startToCloseMs, type: 'startToClose', isOver: false },
    { ms: leftMs, type: 'scheduleToClose', isOver: true },
  ] as const;
  const limit = limits[0].ms <= limits[1].ms ? limits[0] : limits[1];
  const giveUp = new AbortController();
  const done = run({ attempt, signal: giveUp.signal }).then((outcome) => ({ outcome, isOver: false }));
  if (limit.ms === Infinity) return done;
  let callOff = () => {};
  const late = new Promise<{ outcome: ActivityOutcome; isOver: boolean }>((resolve) => {
    callOff = clock.after(limit.ms, () => {
      giveUp.abort();
      resolve({ outcome: timedOut(limit.type), isOver: limit.isOver });
    });
  });
  const first = await Promise.race([done, late]);
  callOff();
  return first;
}

function timedOut(type: TimeoutType): ActivityOutcome {
  return { failure: { message: 'Activity timed out', timeoutFailureInfo: { timeoutType: TIMEOUTS[type] } } };
}
