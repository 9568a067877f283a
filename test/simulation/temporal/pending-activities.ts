import { timeoutFailure } from '../core/jobs.ts';
import type { Agenda } from '../time/agenda.ts';
import type { EventFacts, Failure, ScheduledActivity, TimeoutType } from './history-event.ts';
import { delayAfter, isFinal } from './retry-policy.ts';
import type { RunIdentity } from './run.ts';
import { NotFound, type ActivityOutcome, type ActivityTask } from './tasks.ts';
import { given } from '../../../providers/given.ts';

interface Pending {
  readonly scheduledId: number;
  readonly activity: ScheduledActivity;
  readonly scheduledAt: number;
  attempt: number;
  isStarted: boolean;
  /** What the attempt before failed of. */
  before: Failure | undefined;
  /** Of time limits and of the next attempt. */
  callOffs: (() => void)[];
  beat: () => void;
}

export interface PendingOptions {
  readonly agenda: Agenda;
  readonly identity: Pick<RunIdentity, 'workflowId' | 'runId' | 'workflowType' | 'taskQueue'>;
  /** Has some worker take it; it is asked for when one does. */
  readonly offer: (task: () => ActivityTask | undefined) => void;
  readonly tell: (...facts: readonly EventFacts[]) => void;
}

/** The activities of a run that are under way: their attempts and time limits. */
export class PendingActivities {
  readonly #options: PendingOptions;
  readonly #pending = new Map<number, Pending>();

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  schedule(scheduledId: number, activity: ScheduledActivity): void {
    const { agenda } = this.#options;
    const pending: Pending = {
      scheduledId,
      activity,
      scheduledAt: agenda.now,
      attempt: 1,
      isStarted: false,
      before: undefined,
      callOffs: [],
      beat: () => {},
    };
    this.#pending.set(scheduledId, pending);
    this.#offer(pending);
  }

  get areUnderWay(): boolean {
    return this.#pending.size > 0;
  }

  /** @param token of the attempt */
  complete(token: string, outcome: ActivityOutcome): void {
    const pending = this.#require(token);
    const { scheduledId } = pending;
    if ('failure' in outcome) return this.#failed(pending, outcome.failure);
    const { result } = outcome;
    this.#end(pending, { type: 'activityCompleted', scheduledId, ...given({ result }) });
  }

  /** Its worker lives. */
  beat(token: string): void {
    this.#require(token).beat();
  }

  close(): void {
    for (const pending of this.#pending.values()) callOffAll(pending);
    this.#pending.clear();
  }

  #offer(pending: Pending): void {
    const { attempt, activity } = pending;
    const { agenda, identity } = this.#options;
    const limitMs = activity.scheduleToStartMs;
    if (limitMs > 0) pending.callOffs.push(agenda.after(limitMs, () => this.#neverStarted(pending)));
    // Nobody polls another queue than the workflow's own.
    if (activity.taskQueue !== identity.taskQueue) return;
    this.#options.offer(() => {
      const isWanted = this.#pending.get(pending.scheduledId) === pending && pending.attempt === attempt;
      return isWanted && !pending.isStarted ? this.#start(pending) : undefined;
    });
  }

  #start(pending: Pending): ActivityTask {
    const { agenda, identity } = this.#options;
    const { activity, attempt, scheduledAt } = pending;
    callOffAll(pending);
    pending.isStarted = true;
    const limit = (ms: number, timeout: TimeoutType) =>
      ms === 0 ? () => {} : agenda.after(ms, () => this.#timedOut(pending, timeout));
    pending.callOffs.push(limit(activity.startToCloseMs, 'startToClose'));
    let callOffBeat = limit(activity.heartbeatMs, 'heartbeat');
    pending.beat = () => {
      callOffBeat();
      callOffBeat = limit(activity.heartbeatMs, 'heartbeat');
    };
    pending.callOffs.push(() => callOffBeat());
    const token = tokenOf(pending);
    return { ...identity, token, attempt, activity, scheduledAt };
  }

  #failed(pending: Pending, failure: Failure): void {
    const { scheduledId, activity } = pending;
    if (this.#tryAgain(pending, failure)) return;
    this.#end(pending, { type: 'activityFailed', scheduledId, failure, isFinal: isFinal(activity.retry, failure) });
  }

  #timedOut(pending: Pending, timeout: TimeoutType): void {
    if (this.#pending.get(pending.scheduledId) !== pending) return;
    if (this.#tryAgain(pending, timeoutFailure(timeout))) return;
    this.#end(pending, timeOutOf(pending, timeout));
  }

  #neverStarted(pending: Pending): void {
    this.#pending.delete(pending.scheduledId);
    this.#options.tell(timeOutOf(pending, 'scheduleToStart'));
  }

  #tryAgain(pending: Pending, failure: Failure): boolean {
    const ms = delayAfter(pending.activity.retry, pending.attempt, failure);
    if (ms === undefined) return false;
    callOffAll(pending);
    pending.attempt += 1;
    pending.before = failure;
    pending.isStarted = false;
    pending.callOffs.push(this.#options.agenda.after(ms, () => this.#offer(pending)));
    return true;
  }

  #end(pending: Pending, facts: EventFacts): void {
    const { scheduledId, attempt } = pending;
    callOffAll(pending);
    this.#pending.delete(scheduledId);
    // That it began is written when it is over.
    this.#options.tell({ type: 'activityStarted', scheduledId, attempt }, facts);
  }

  #require(token: string): Pending {
    const pending = this.#pending.get(Number(token.split('/')[0]));
    if (pending === undefined || !pending.isStarted || tokenOf(pending) !== token) {
      throw new NotFound('the activity is over');
    }
    return pending;
  }
}

function timeOutOf({ scheduledId, before }: Pending, timeout: TimeoutType): EventFacts {
  return { type: 'activityTimedOut', scheduledId, timeout, ...given({ before }) };
}

function tokenOf({ scheduledId, attempt }: Pending): string {
  return `${scheduledId}/${attempt}`;
}

function callOffAll(pending: Pending): void {
  for (const callOff of pending.callOffs) callOff();
  pending.callOffs = [];
}
