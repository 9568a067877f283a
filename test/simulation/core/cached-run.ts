import type { Clock } from '../../../providers/clock.ts';
import type { Agenda } from '../time/agenda.ts';
import {
  isClosing,
  type Command,
  type Failure,
  type HistoryEvent,
  type LocalActivityMarker,
  type Payload,
} from '../temporal/history-event.ts';
import type { WorkflowTask, WorkflowTaskAnswer } from '../temporal/tasks.ts';
import { describeCommand, describeCommandEvent, toCommand, toLocalActivity } from './commands.ts';
import { partsOf, type HistoryPart } from './history-parts.ts';
import { asItHappens, jobOf, localResolutionOf, sorted } from './jobs.ts';
import type { LocalActivity } from './local-activity.ts';
import type { Completion, Job, Moment, RunningWorkflow, VmCommand, WorkflowRuntime } from './workflow-runtime.ts';

/** A worker answers before the server gives a task up, where local activities take so long, in milliseconds. */
const HEARTBEAT_MS = 8000;

export interface CachedRunServices {
  readonly agenda: Agenda;
  readonly runtime: WorkflowRuntime;
  /** The worker's. */
  readonly clock: Pick<Clock, 'timeOfDay' | 'after'>;
  /** Runs a local activity to its end. */
  readonly runLocal: (task: WorkflowTask, activity: LocalActivity, scheduledAt: number) => Promise<LocalActivityMarker>;
  readonly answer: (task: WorkflowTask, answer: WorkflowTaskAnswer) => void;
  /** The workflow could not go on: nothing that may happen. */
  readonly onBroken: (task: WorkflowTask, failure: Failure) => void;
}

/** A local activity that was asked for and has not ended. */
interface Awaited {
  readonly activity: LocalActivity;
  readonly scheduledAt: number;
  isRunning: boolean;
}

/** A workflow in the memory of a worker, and what the SDK's core keeps beside it. */
export class CachedRun {
  readonly #services: CachedRunServices;
  #workflow: RunningWorkflow | undefined;
  #task: WorkflowTask | undefined;
  #processedId = 0;
  #time = 0;
  #moment = { historyLength: 0, suggestsContinueAsNew: false };
  readonly #flags = new Set<number>();
  #newFlags: number[] = [];
  readonly #locals = new Map<number, Awaited>();
  readonly #known = new Map<number, LocalActivityMarker>();
  /** What the workflow asked for since the last answer. */
  #commands: Command[] = [];
  #isOver = false;
  #isEvicted = false;
  /** A task was taken, and its turn has not come. */
  #isToBegin = false;
  #turn: Promise<void> = Promise.resolve();
  /** Ends of local activities that came while no task was open. */
  #early: LocalActivityMarker[] = [];
  #callOffHeartbeat = () => {};

  constructor(services: CachedRunServices) {
    this.#services = services;
  }

  /** The last workflow task that it has seen. */
  get processedId(): number {
    return this.#processedId;
  }

  /** It has a task that it has not answered, or not begun. */
  get isAtWork(): boolean {
    return this.#task !== undefined || this.#isToBegin;
  }

  take(task: WorkflowTask): void {
    this.#isToBegin = true;
    this.#inTurn(async () => {
      this.#isToBegin = false;
      await this.#work(task);
    });
  }

  /** Takes up what was answered so far, and nothing else. Resolves when it has. */
  async replay(task: WorkflowTask): Promise<void> {
    this.#inTurn(async () => {
      this.#task = task;
      for (const part of partsOf(task.history, this.#processedId)) {
        if (part.answer !== undefined) await this.#takeUp(part, task);
      }
    });
    await this.#turn;
  }

  /** Whether what was taken up is a part of the history still: one that asked for nothing may have become one with the next. */
  isUpTo(history: readonly HistoryEvent[]): boolean {
    return history[this.#processedId + 1]?.type !== 'taskScheduled';
  }

  /** Asks it, as it is now, without arguments. */
  async query(queryType: string): Promise<Payload> {
    const job = { queryWorkflow: { queryId: 'one', queryType, arguments: [], headers: {} } };
    const moment: Moment = { ...this.#moment, time: this.#time, isReplaying: true, flags: [...this.#flags] };
    const completion = await this.#services.agenda.holding(
      this.#workflow?.activate([job], moment) ?? Promise.resolve<Completion>({}),
    );
    const answer = completion.successful?.commands?.[0]?.respondToQuery?.succeeded?.response;
    if (answer == null) throw new Error(`the workflow does not answer the query ${queryType}`);
    return answer;
  }

  /** Forgets the workflow; what it still had under way leads to nothing. */
  evict(): void {
    this.#isEvicted = true;
    this.#callOffHeartbeat();
    const workflow = this.#workflow;
    this.#workflow = undefined;
    if (workflow !== undefined) void this.#services.agenda.holding(workflow.dispose());
  }

  /** One thing after the other; meanwhile no time passes. */
  #inTurn(work: () => Promise<void>): void {
    this.#turn = this.#services.agenda.holding(this.#after(this.#turn, work));
  }

  async #after(before: Promise<void>, work: () => Promise<void>): Promise<void> {
    await before;
    if (this.#isEvicted) return;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof WorkflowBroken)) throw error;
      const task = this.#task;
      if (task !== undefined) this.#services.onBroken(task, error.failure);
    }
  }

  async #work(task: WorkflowTask): Promise<void> {
    const { agenda, clock } = this.#services;
    this.#task = task;
    for (const part of partsOf(task.history, this.#processedId)) await this.#takeUp(part, task);
    const leftMs = Math.max(0, task.startedAt + HEARTBEAT_MS - agenda.now);
    this.#callOffHeartbeat = clock.after(leftMs, () => this.#inTurn(async () => this.#askForTime(task)));
    for (const marker of this.#early.splice(0)) await this.#endLocal(marker);
    this.#goOn();
  }

  /** What happened up to a workflow task, and what the workflow asks for then. */
  async #takeUp({ events, started, answer }: HistoryPart, task: WorkflowTask): Promise<void> {
    const isReplaying = answer !== undefined;
    this.#time = Math.max(this.#time, started.at);
    this.#moment = { historyLength: started.id, suggestsContinueAsNew: started.suggestsContinueAsNew };
    for (const flag of answer?.flags ?? []) this.#flags.add(flag);
    const news = events.filter(({ id }) => id > this.#processedId);
    const jobs = news.flatMap((event) => jobOf(event, task.history, task.runId, task.workflowId) ?? []);
    this.#processedId = started.id;
    let resolutions: Job[] = [];
    for (const { marker } of answer?.markers ?? []) {
      if (this.#locals.delete(marker.seq)) resolutions.push(this.#resolution(marker));
      else this.#known.set(marker.seq, marker);
    }
    let next = sorted([...jobs, ...resolutions]);
    while (next.length > 0) {
      resolutions = [];
      for (const command of await this.#activate(task, next, isReplaying)) {
        const marker = this.#take(command);
        if (marker !== undefined) resolutions.push(this.#resolution(marker));
      }
      next = resolutions;
    }
    if (answer !== undefined) this.#compare(answer.commandEvents);
  }

  #resolution(marker: LocalActivityMarker): Job {
    this.#time = Math.max(this.#time, marker.completeTime);
    return localResolutionOf(marker);
  }

  async #activate(task: WorkflowTask, jobs: Job[], isReplaying: boolean): Promise<readonly VmCommand[]> {
    const moment: Moment = { ...this.#moment, time: this.#time, isReplaying, flags: [...this.#flags] };
    this.#workflow ??= await this.#create(task, moment);
    const { successful, failed } = await this.#workflow.activate(jobs, moment);
    if (failed?.failure) throw new WorkflowBroken(failed.failure);
    for (const flag of successful?.usedInternalFlags ?? []) {
      if (this.#flags.has(flag)) continue;
      this.#flags.add(flag);
      this.#newFlags.push(flag);
    }
    return successful?.commands ?? [];
  }

  #create(task: WorkflowTask, moment: Moment): Promise<RunningWorkflow> {
    const [first] = task.history;
    if (first?.type !== 'started') throw new Error('a history begins with the start of its workflow');
    const { workflowId, runId, workflowType, taskQueue } = task;
    const { firstRunId, continuedFrom, at } = first;
    const identity = { workflowId, runId, firstRunId, continuedFrom, workflowType, taskQueue, startedAt: at };
    return this.#services.runtime.createWorkflow(identity, moment);
  }

  /** Notes what the workflow asks for; answers the end of a local activity that is known already. */
  #take(given: VmCommand): LocalActivityMarker | undefined {
    const local = toLocalActivity(given, this.#services.clock.timeOfDay());
    if (local !== undefined) {
      const known = this.#known.get(local.seq);
      this.#known.delete(local.seq);
      if (known === undefined)
        this.#locals.set(local.seq, { activity: local, scheduledAt: this.#time, isRunning: false });
      return known;
    }
    const command = toCommand(given);
    if (command.type === 'cancelTimer') {
      const { timerId } = command;
      const unsent = this.#commands.findIndex((each) => each.type === 'startTimer' && each.timerId === timerId);
      if (unsent !== -1) {
        this.#commands.splice(unsent, 1);
        return undefined;
      }
    }
    if (isClosing(command)) this.#isOver = true;
    this.#commands.push(command);
    return undefined;
  }

  /** In a replay the workflow has to ask for what it asked for before. */
  #compare(events: readonly HistoryEvent[]): void {
    const asked = this.#commands.map(describeCommand);
    const told = events.filter(({ type }) => type !== 'markerRecorded').map(describeCommandEvent);
    this.#commands = [];
    this.#newFlags = [];
    if (asked.join('\n') === told.join('\n') && this.#known.size === 0) return;
    const message = `Nondeterminism: the history has [${told.join(', ')}], the replay asks for [${asked.join(', ')}]`;
    throw new WorkflowBroken({ message });
  }

  /** Answers the task where nothing is under way that belongs to it; else waits for that. */
  #goOn(): void {
    const task = this.#task;
    if (task === undefined) return;
    if (!this.#isOver && this.#locals.size > 0) {
      for (const local of this.#locals.values()) this.#start(task, local);
      return;
    }
    this.#answer(task, false);
  }

  #start(task: WorkflowTask, local: Awaited): void {
    if (local.isRunning) return;
    local.isRunning = true;
    void this.#runToEnd(task, local);
  }

  async #runToEnd(task: WorkflowTask, { activity, scheduledAt }: Awaited): Promise<void> {
    const marker = await this.#services.runLocal(task, activity, scheduledAt);
    this.#inTurn(async () => {
      if (this.#task === undefined) this.#early.push(marker);
      else {
        await this.#endLocal(marker);
        this.#goOn();
      }
    });
  }

  async #endLocal(marker: LocalActivityMarker): Promise<void> {
    const task = this.#task;
    if (task === undefined || !this.#locals.delete(marker.seq)) return;
    this.#commands.push({ type: 'recordMarker', marker });
    for (const command of await this.#activate(task, [this.#resolution(asItHappens(marker))], false))
      this.#take(command);
  }

  #askForTime(task: WorkflowTask): void {
    if (this.#task === task) this.#answer(task, true);
  }

  #answer(task: WorkflowTask, forceNew: boolean): void {
    this.#task = undefined;
    this.#callOffHeartbeat();
    const [commands, flags] = [this.#commands, this.#newFlags];
    this.#commands = [];
    this.#newFlags = [];
    this.#services.answer(task, { commands, flags, forceNew });
  }
}

class WorkflowBroken extends Error {
  override readonly name = 'WorkflowBroken';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message ?? '');
    this.failure = failure;
  }
}
