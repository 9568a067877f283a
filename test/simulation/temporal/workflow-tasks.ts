import type { Agenda } from '../time/agenda.ts';
import type { EventFacts, EventOf, HistoryEvent } from './history-event.ts';
import type { History } from './history.ts';
import { NotFound, type TaskTaker, type WorkflowTask } from './tasks.ts';

/** How long a worker has for a workflow task, in milliseconds: the server's default. */
const WORKFLOW_TASK_MS = 10_000;

interface StartedTask {
  readonly id: number;
  readonly at: number;
  /** The name of a worker. */
  readonly by: string;
  readonly suggestsContinueAsNew: boolean;
}

interface OpenTask {
  readonly attempt: number;
  /** Its events are not in the history before it is completed: the same was tried before, and nothing is new. */
  readonly isTransient: boolean;
  readonly scheduledAt: number;
  readonly scheduledId: number;
  readonly token: number;
  started?: StartedTask;
  callOff: () => void;
}

export interface WorkflowTasksOptions {
  readonly agenda: Agenda;
  readonly history: History;
  /** Events of a history after which it is suggested to continue as new. */
  readonly longHistory: number;
  readonly newToken: () => number;
  /** Has some worker take the task. */
  readonly offer: () => void;
}

/** The workflow tasks of a run, one after the other: who is at it and for how long, and what follows one that failed. */
export class WorkflowTasks {
  /** Who has the run in memory, as far as the server knows. */
  stickyTo: string | undefined;
  readonly #options: WorkflowTasksOptions;
  #task: OpenTask | undefined;
  /** Who waits for the end of the task that is open. */
  #waiting: (() => void)[] = [];
  #failed = 0;
  #lengthAtFailure = 0;

  constructor(options: WorkflowTasksOptions) {
    this.#options = options;
  }

  /** Of the task that is open. */
  get token(): number | undefined {
    return this.#task?.token;
  }

  /** Calls when a worker has done the task that is open; at once where there is none. */
  whenDone(act: () => void): void {
    if (this.#task === undefined) act();
    else this.#waiting.push(act);
  }

  /** Nobody has taken the task yet. */
  get waitsForWorker(): boolean {
    return this.#task !== undefined && this.#task.started === undefined;
  }

  /** A worker is at it. */
  get isOut(): boolean {
    return this.#task?.started !== undefined;
  }

  schedule(): void {
    if (this.#task !== undefined) return;
    const { agenda, history, newToken, offer } = this.#options;
    const isTransient = this.#failed > 0 && history.length === this.#lengthAtFailure;
    if (!isTransient) this.#failed = 0;
    const attempt = this.#failed + 1;
    const scheduledId = isTransient ? history.length + 1 : history.add({ type: 'taskScheduled', attempt });
    const token = newToken();
    this.#task = { attempt, isTransient, scheduledAt: agenda.now, scheduledId, token, callOff: () => {} };
    offer();
  }

  /** A worker takes the task. Undefined: there is none any more. */
  start(taker: TaskTaker): Pick<WorkflowTask, 'token' | 'history' | 'startedAt' | 'suggestsContinueAsNew'> | undefined {
    const task = this.#task;
    if (task === undefined || task.started !== undefined) return undefined;
    const { agenda, history, longHistory } = this.#options;
    const suggestsContinueAsNew = history.length >= longHistory && history.events.some(isWake);
    const { token, attempt, isTransient, scheduledAt } = task;
    const startedAt = agenda.now;
    const transient: HistoryEvent[] = [];
    const id = history.length + 1 + (isTransient ? 1 : 0);
    if (isTransient) {
      const scheduledId = id - 1;
      transient.push(
        { type: 'taskScheduled', attempt, id: scheduledId, at: scheduledAt },
        { type: 'taskStarted', scheduledId, suggestsContinueAsNew, id, at: startedAt },
      );
    } else {
      history.add({ type: 'taskStarted', scheduledId: task.scheduledId, suggestsContinueAsNew });
    }
    task.started = { id, at: startedAt, by: taker.name, suggestsContinueAsNew };
    task.callOff = agenda.after(WORKFLOW_TASK_MS, () => this.#timedOut(task));
    return { token, history: history.events.concat(transient), startedAt, suggestsContinueAsNew };
  }

  /** Its worker has done it, and keeps the run in memory; answers the event's id. */
  complete(token: number, flags: readonly number[]): number {
    const { scheduledAt, attempt, isTransient, started, ...task } = this.#answered(token);
    const { history } = this.#options;
    const { at, by, suggestsContinueAsNew } = started;
    let [scheduledId, startedId] = [task.scheduledId, started.id];
    if (isTransient) {
      scheduledId = history.add({ type: 'taskScheduled', attempt }, scheduledAt);
      startedId = history.add({ type: 'taskStarted', scheduledId, suggestsContinueAsNew }, at);
    }
    this.drop();
    for (const go of this.#waiting.splice(0)) go();
    this.stickyTo = by;
    this.#failed = 0;
    return history.add({ type: 'taskCompleted', scheduledId, startedId, flags });
  }

  /** Its worker could not do it, or did it in vain: another one follows. */
  fail(token: number, reason: Pick<EventOf<'taskFailed'>, 'cause' | 'failure'>): void {
    const { scheduledId, started } = this.#answered(token);
    this.#tryAgain({ type: 'taskFailed', scheduledId, startedId: started.id, ...reason });
  }

  /** The run is ended while a worker is at it. */
  forceClose(): void {
    const task = this.#task;
    if (task?.started === undefined || task.isTransient) return;
    const { scheduledId, started } = task;
    this.#options.history.add({ type: 'taskFailed', scheduledId, startedId: started.id, cause: 'forceClose' });
  }

  /** The worker that had the run in memory did not come for it: that is no failure. */
  giveUpSticky(token: number): void {
    const task = this.#task;
    if (task?.token !== token || task.started !== undefined) return;
    const { scheduledId, isTransient } = task;
    this.drop();
    this.stickyTo = undefined;
    if (!isTransient) {
      this.#options.history.add({ type: 'taskTimedOut', scheduledId, startedId: 0, timeout: 'scheduleToStart' });
    }
    this.schedule();
  }

  drop(): void {
    this.#task?.callOff();
    this.#task = undefined;
  }

  #answered(token: number): OpenTask & { readonly started: StartedTask } {
    const task = this.#task;
    if (task?.token !== token || task.started === undefined) throw new NotFound('the workflow task is over');
    return { ...task, started: task.started };
  }

  #timedOut(task: OpenTask): void {
    const { scheduledId, started } = task;
    if (this.#task !== task || started === undefined) return;
    this.#tryAgain({ type: 'taskTimedOut', scheduledId, startedId: started.id, timeout: 'startToClose' });
  }

  /** @param end of the task: the history has it where it has its begin */
  #tryAgain(end: EventFacts): void {
    const { history } = this.#options;
    if (this.#task?.isTransient === false) history.add(end);
    this.drop();
    // One that the worker failed which had the workflow in memory does not count.
    this.#failed = this.stickyTo === undefined ? this.#failed + 1 : 0;
    this.stickyTo = undefined;
    this.#lengthAtFailure = history.length;
    history.flush();
    this.schedule();
  }
}

/** Temporal suggests to go on as a new run after thousands of events: never before a run was woken once. */
function isWake({ type }: HistoryEvent): boolean {
  return type === 'timerFired' || type === 'signaled';
}
