import type { Agenda } from '../time/agenda.ts';
import {
  isClosing,
  type Command,
  type EventFacts,
  type Failure,
  type HistoryEvent,
  type Payload,
} from './history-event.ts';
import { History } from './history.ts';
import { PendingActivities } from './pending-activities.ts';
import {
  NotFound,
  type ActivityTask,
  type Signal,
  type TaskTaker,
  type WorkflowTask,
  type WorkflowTaskAnswer,
} from './tasks.ts';
import { WorkflowTasks } from './workflow-tasks.ts';
import { given } from '../../../providers/given.ts';

export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CONTINUED_AS_NEW' | 'TERMINATED';

/** What a run needs of the server around it. */
export interface RunServices {
  readonly agenda: Agenda;
  readonly newToken: () => number;
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
  status: RunStatus = 'RUNNING';
  attributes: Readonly<Record<string, Payload>> = {};
  readonly tasks: WorkflowTasks;
  readonly #services: RunServices;
  readonly #history: History;
  readonly #activities: PendingActivities;
  readonly #timers = new Map<string, { readonly startedId: number; readonly callOff: () => void }>();

  constructor(identity: RunIdentity, services: RunServices) {
    this.identity = identity;
    this.#services = services;
    const { agenda, longHistory, newToken } = services;
    this.#history = new History(agenda);
    this.tasks = new WorkflowTasks({
      agenda,
      history: this.#history,
      longHistory,
      newToken,
      offer: () => services.offerWorkflowTask(this),
    });
    this.#activities = new PendingActivities({
      agenda,
      offer: (task) => services.offerActivityTask(this, task),
      tell: (...facts) => this.tell(...facts),
      identity,
    });
  }

  get history(): readonly HistoryEvent[] {
    return this.#history.events;
  }

  get isRunning(): boolean {
    return this.status === 'RUNNING';
  }

  /** Somebody is at a task or an activity of it, or could be. */
  get isAtWork(): boolean {
    return this.tasks.token !== undefined || this.#activities.areUnderWay;
  }

  get activities(): PendingActivities {
    return this.#activities;
  }

  /** Writes the first event, and the signal that it is started with; has a worker look at the run. */
  begin(facts: EventFacts & { readonly type: 'started' }, signal?: Signal): void {
    this.attributes = facts.attributes;
    this.#history.add(facts);
    if (signal !== undefined) this.#history.add({ type: 'signaled', ...signal });
    this.tasks.schedule();
  }

  /** Something that the workflow has to learn of. */
  tell(...facts: readonly EventFacts[]): void {
    if (!this.isRunning) return;
    if (this.tasks.isOut) return this.#history.buffer(facts);
    for (const each of facts) this.#history.add(each);
    this.tasks.schedule();
  }

  terminate(): void {
    this.tasks.forceClose();
    this.#history.flush();
    this.#close('TERMINATED', { type: 'terminated' });
  }

  /** A worker takes the task. Undefined: there is none any more. */
  startTask(taker: TaskTaker): WorkflowTask | undefined {
    const task = this.tasks.start(taker);
    if (task === undefined) return undefined;
    this.#services.onTask(this);
    const { workflowId, runId, workflowType, taskQueue } = this.identity;
    return { workflowId, runId, workflowType, taskQueue, ...task };
  }

  completeTask(token: number, { commands, forceNew, flags }: WorkflowTaskAnswer): void {
    if (commands.some(isClosing) && this.#hasNews(commands)) {
      this.tasks.fail(token, { cause: 'unhandledCommand' });
      throw new NotFound('UnhandledCommand: there are new events');
    }
    const completedId = this.tasks.complete(token, flags);
    for (const command of commands) this.#carryOut(command, completedId);
    if (!this.isRunning) return;
    const isNews = this.#history.flush();
    if (isNews || forceNew) this.tasks.schedule();
  }

  /** Something came meanwhile that the workflow does not call off by itself. */
  #hasNews(commands: readonly Command[]): boolean {
    const canceled = commands.flatMap((command) => (command.type === 'cancelTimer' ? [command.timerId] : []));
    return this.#history.buffered.some((facts) => facts.type !== 'timerFired' || !canceled.includes(facts.timerId));
  }

  /** The worker could not go on. */
  failTask(token: number, failure: Failure): void {
    this.tasks.fail(token, { cause: 'workerFailure', failure });
  }

  #carryOut(command: Command, completedId: number): void {
    switch (command.type) {
      case 'startTimer': {
        const { timerId, ms, summary } = command;
        const startedId = this.#history.add({
          type: 'timerStarted',
          completedId,
          timerId,
          ms,
          ...given({ summary }),
        });
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
        const startedId = timer?.startedId ?? this.#history.takeBackTimer(timerId)?.startedId ?? 0;
        timer?.callOff();
        this.#timers.delete(timerId);
        this.#history.add({ type: 'timerCanceled', completedId, timerId, startedId });
        return;
      }
      case 'scheduleActivity': {
        const { type: _type, ...asked } = command;
        const { heartbeatMs, startToCloseMs } = asked;
        const activity = {
          ...asked,
          heartbeatMs: startToCloseMs === 0 ? heartbeatMs : Math.min(heartbeatMs, startToCloseMs),
        };
        const scheduledId = this.#history.add({ type: 'activityScheduled', completedId, activity });
        this.#activities.schedule(scheduledId, activity);
        return;
      }
      case 'recordMarker':
        this.#history.add({ type: 'markerRecorded', completedId, marker: command.marker });
        return;
      case 'upsertAttributes':
        this.attributes = withoutNulls({ ...this.attributes, ...command.attributes });
        this.#history.add({ type: 'attributesUpserted', completedId, attributes: command.attributes });
        return;
      case 'complete': {
        const { result } = command;
        return this.#close('COMPLETED', { type: 'completed', completedId, ...given({ result }) });
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
    this.#history.add(facts);
    this.#services.onClosed(this);
  }

  #stop(status: RunStatus): void {
    this.status = status;
    this.tasks.drop();
    for (const { callOff } of this.#timers.values()) callOff();
    this.#timers.clear();
    this.#activities.close();
    this.#history.drop();
  }
}

/** An attribute that is set to null is none. */
function withoutNulls(attributes: Readonly<Record<string, Payload>>): Readonly<Record<string, Payload>> {
  const isSet = ({ data }: Payload): boolean => data != null && Buffer.from(data).toString() !== 'null';
  return Object.fromEntries(Object.entries(attributes).filter(([, payload]) => isSet(payload)));
}
