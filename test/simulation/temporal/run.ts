import type { Agenda } from '../time/agenda.ts';
import {
  isClosing,
  type Command,
  type EventFacts,
  type Failure,
  type HistoryEvent,
  type Payload,
  type TimeoutType,
} from './history-event.ts';
import { PendingActivities } from './pending-activities.ts';
import { NotFound, type ActivityTask, type TaskTaker, type WorkflowTask, type WorkflowTaskAnswer } from './tasks.ts';

/** How long a worker has for a workflow task, in milliseconds: the server's default. */
export const WORKFLOW_TASK_MS = 10_000;

export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CONTINUED_AS_NEW' | 'TERMINATED';

interface OpenTask {
  readonly attempt: number;
  /** Its events are not in the history before it is completed: the same was tried before, and nothing is new. */
  readonly isTransient: boolean;
  readonly scheduledAt: number;
  readonly scheduledId: number;
  readonly token: number;
  started?: { readonly id: number; readonly at: number; readonly suggestsContinueAsNew: boolean };
  callOff: () => void;
}

/** What a run needs of the server around it. */
export interface RunServices {
  readonly agenda: Agenda;
  newToken(): number;
  /** Events of a history after which it is suggested to continue as new. */
  readonly longHistory: number;
  offerWorkflowTask(run: Run): void;
  offerActivityTask(run: Run, task: () => ActivityTask | undefined): void;
  continueAsNew(run: Run, input: readonly Payload[]): string;
  onClosed(run: Run): void;
  onTask(run: Run): void;
}

export interface RunIdentity {
  readonly workflowId: string;
  readonly runId: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly firstRunId: string;
}

/** One run of a workflow, as the server has it: its history, and what is under way. */
export class Run {
  readonly identity: RunIdentity;
  readonly history: HistoryEvent[] = [];
  status: RunStatus = 'RUNNING';
  attributes: Readonly<Record<string, Payload>> = {};
  /** Who has it in memory, as far as the server knows. */
  stickyTo: string | undefined;
  readonly #services: RunServices;
  readonly #activities: PendingActivities;
  readonly #timers = new Map<string, { readonly startedId: number; readonly callOff: () => void }>();
  /** What came while a task was out: it is told when that one is over. */
  #buffered: EventFacts[] = [];
  #task: OpenTask | undefined;
  #failedTasks = 0;
  #lengthAtFailure = 0;

  constructor(identity: RunIdentity, services: RunServices) {
    this.identity = identity;
    this.#services = services;
    this.#activities = new PendingActivities({
      agenda: services.agenda,
      offer: (task) => services.offerActivityTask(this, task),
      tell: (...facts) => this.tell(...facts),
      identity,
    });
  }

  get isRunning(): boolean {
    return this.status === 'RUNNING';
  }

  get activities(): PendingActivities {
    return this.#activities;
  }

  /** Nobody has taken the task yet. */
  get waitsForWorker(): boolean {
    return this.#task !== undefined && this.#task.started === undefined;
  }

  /** Writes the first event, and has a worker look at the run. */
  begin(facts: EventFacts & { readonly type: 'started' }): void {
    this.attributes = facts.attributes;
    this.#add(facts);
    this.#scheduleTask();
  }

  /** Something that the workflow has to learn of. */
  tell(...facts: readonly EventFacts[]): void {
    if (!this.isRunning) return;
    if (this.#task?.started !== undefined) {
      this.#buffered.push(...facts);
      return;
    }
    for (const each of facts) this.#add(each);
    this.#scheduleTask();
  }

  terminate(): void {
    this.#close('TERMINATED', { type: 'terminated' });
  }

  /** A worker takes the task. Undefined: there is none any more. */
  startTask(taker: TaskTaker): WorkflowTask | undefined {
    const task = this.#task;
    if (task === undefined || task.started !== undefined) return undefined;
    const { agenda, longHistory } = this.#services;
    const suggestsContinueAsNew = this.history.length >= longHistory;
    const transient: HistoryEvent[] = [];
    const nextId = this.history.length + 1;
    if (task.isTransient) {
      const scheduledId = nextId;
      transient.push(
        { type: 'taskScheduled', attempt: task.attempt, id: scheduledId, at: task.scheduledAt },
        { type: 'taskStarted', scheduledId, suggestsContinueAsNew, id: scheduledId + 1, at: agenda.now },
      );
      task.started = { id: scheduledId + 1, at: agenda.now, suggestsContinueAsNew };
    } else {
      this.#add({ type: 'taskStarted', scheduledId: task.scheduledId, suggestsContinueAsNew });
      task.started = { id: nextId, at: agenda.now, suggestsContinueAsNew };
    }
    this.stickyTo = taker.name;
    this.#services.onTask(this);
    task.callOff();
    task.callOff = agenda.after(WORKFLOW_TASK_MS, () => this.#taskTimedOut(task, 'startToClose'));
    const { workflowId, runId, workflowType, taskQueue } = this.identity;
    return {
      workflowId,
      runId,
      workflowType,
      taskQueue,
      token: task.token,
      history: [...this.history, ...transient],
      startedAt: agenda.now,
      suggestsContinueAsNew,
    };
  }

  /** The worker that had it in memory did not come for it. */
  giveUpSticky(token: number): void {
    const task = this.#task;
    if (task === undefined || task.started !== undefined || task.token !== token) return;
    this.#taskTimedOut(task, 'scheduleToStart');
  }

  get taskToken(): number | undefined {
    return this.#task?.token;
  }

  completeTask(token: number, { commands, forceNew, flags }: WorkflowTaskAnswer): void {
    const { scheduledId, startedId } = this.#takeAnswer(token);
    const closes = commands.some(isClosing);
    if (closes && this.#buffered.length > 0) {
      this.#endTask({ type: 'taskFailed', scheduledId, startedId, cause: 'unhandledCommand' });
      throw new NotFound('UnhandledCommand: there are new events');
    }
    this.#task = undefined;
    this.#failedTasks = 0;
    const completedId = this.#add({ type: 'taskCompleted', scheduledId, startedId, flags });
    for (const command of commands) this.#carryOut(command, completedId);
    if (!this.isRunning) return;
    const isNews = this.#flush();
    if (isNews || forceNew) this.#scheduleTask();
  }

  /** The worker could not go on. */
  failTask(token: number, failure: Failure): void {
    const { scheduledId, startedId } = this.#takeAnswer(token);
    this.#endTask({ type: 'taskFailed', scheduledId, startedId, cause: 'workerFailure', failure });
  }

  #takeAnswer(token: number): { readonly scheduledId: number; readonly startedId: number } {
    const task = this.#task;
    if (task?.token !== token || task.started === undefined) throw new NotFound('the workflow task is over');
    task.callOff();
    if (!task.isTransient) return { scheduledId: task.scheduledId, startedId: task.started.id };
    const scheduledId = this.#add({ type: 'taskScheduled', attempt: task.attempt }, task.scheduledAt);
    const { at, suggestsContinueAsNew } = task.started;
    return { scheduledId, startedId: this.#add({ type: 'taskStarted', scheduledId, suggestsContinueAsNew }, at) };
  }

  #taskTimedOut(task: OpenTask, timeout: TimeoutType): void {
    if (this.#task !== task) return;
    task.callOff();
    this.stickyTo = undefined;
    const { scheduledId, started } = task;
    // Waiting in vain for the worker that had it in memory is no failure.
    if (timeout === 'scheduleToStart') {
      this.#task = undefined;
      if (!task.isTransient) this.#add({ type: 'taskTimedOut', scheduledId, startedId: 0, timeout });
      this.#scheduleTask();
      return;
    }
    if (task.isTransient) return this.#tryTaskAgain();
    this.#endTask({ type: 'taskTimedOut', scheduledId, startedId: started?.id ?? 0, timeout });
  }

  #endTask(facts: EventFacts): void {
    this.#add(facts);
    this.#tryTaskAgain();
  }

  #tryTaskAgain(): void {
    this.#task = undefined;
    this.stickyTo = undefined;
    this.#failedTasks += 1;
    this.#lengthAtFailure = this.history.length;
    this.#flush();
    this.#scheduleTask();
  }

  #scheduleTask(): void {
    if (this.#task !== undefined) return;
    const { agenda } = this.#services;
    const isTransient = this.#failedTasks > 0 && this.history.length === this.#lengthAtFailure;
    if (!isTransient) this.#failedTasks = 0;
    const attempt = this.#failedTasks + 1;
    const scheduledId = isTransient ? this.history.length + 1 : this.#add({ type: 'taskScheduled', attempt });
    this.#task = {
      attempt,
      isTransient,
      scheduledAt: agenda.now,
      scheduledId,
      token: this.#services.newToken(),
      callOff: () => {},
    };
    this.#services.offerWorkflowTask(this);
  }

  #carryOut(command: Command, completedId: number): void {
    switch (command.type) {
      case 'startTimer': {
        const { timerId, ms, summary } = command;
        const startedId = this.#add({ type: 'timerStarted', completedId, timerId, ms, ...(summary && { summary }) });
        const callOff = this.#services.agenda.after(ms, () => {
          this.#timers.delete(timerId);
          this.tell({ type: 'timerFired', timerId, startedId });
        });
        this.#timers.set(timerId, { startedId, callOff });
        return;
      }
      case 'cancelTimer': {
        const { timerId } = command;
        const timer = this.#timers.get(timerId);
        // It fired while the task was out: the workflow does not know yet, and need not.
        const fired = this.#buffered.findIndex((facts) => facts.type === 'timerFired' && facts.timerId === timerId);
        const [late] = fired === -1 ? [] : this.#buffered.splice(fired, 1);
        const startedId = timer?.startedId ?? (late?.type === 'timerFired' ? late.startedId : 0);
        timer?.callOff();
        this.#timers.delete(timerId);
        this.#add({ type: 'timerCanceled', completedId, timerId, startedId });
        return;
      }
      case 'scheduleActivity': {
        const { type: _type, ...activity } = command;
        const scheduledId = this.#add({ type: 'activityScheduled', completedId, activity });
        this.#activities.schedule(scheduledId, activity);
        return;
      }
      case 'recordMarker':
        this.#add({ type: 'markerRecorded', completedId, marker: command.marker });
        return;
      case 'upsertAttributes':
        this.attributes = { ...this.attributes, ...command.attributes };
        this.#add({ type: 'attributesUpserted', completedId, attributes: command.attributes });
        return;
      case 'complete': {
        const { result } = command;
        return this.#close('COMPLETED', { type: 'completed', completedId, ...(result && { result }) });
      }
      case 'fail':
        return this.#close('FAILED', { type: 'failed', completedId, failure: command.failure });
      case 'continueAsNew': {
        const { input } = command;
        const { workflowType } = this.identity;
        // The next run is there in the same moment.
        const newRunId = this.#services.continueAsNew(this, input);
        return this.#close('CONTINUED_AS_NEW', { type: 'continuedAsNew', completedId, newRunId, workflowType, input });
      }
    }
  }

  /** It is lost, with all that is known of it. */
  vanish(): void {
    this.#stop('TERMINATED');
  }

  #close(status: RunStatus, facts: EventFacts): void {
    this.#stop(status);
    this.#add(facts);
    this.#services.onClosed(this);
  }

  #stop(status: RunStatus): void {
    this.status = status;
    this.#task?.callOff();
    this.#task = undefined;
    for (const { callOff } of this.#timers.values()) callOff();
    this.#timers.clear();
    this.#activities.close();
    this.#buffered = [];
  }

  /** Answers whether there was anything. */
  #flush(): boolean {
    const news = this.#buffered;
    this.#buffered = [];
    for (const facts of news) this.#add(facts);
    return news.length > 0;
  }

  #add(facts: EventFacts, at = this.#services.agenda.now): number {
    const id = this.history.length + 1;
    this.history.push({ ...facts, id, at });
    return id;
  }
}
