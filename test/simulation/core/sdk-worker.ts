import type { Agenda } from '../time/agenda.ts';
import { isClosing, type Failure, type LocalActivityMarker } from '../temporal/history-event.ts';
import type { TemporalServer } from '../temporal/server.ts';
import {
  NotFound,
  type ActivityTask,
  type TaskTaker,
  type WorkflowTask,
  type WorkflowTaskAnswer,
} from '../temporal/tasks.ts';
import type { SimulatedProcess } from '../process.ts';
import { CachedRun } from './cached-run.ts';
import { runLocalActivity, type LocalActivity } from './local-activity.ts';
import { runActivity, type Activities } from './run-activity.ts';
import type { WorkflowRuntime } from './workflow-runtime.ts';

export interface SdkWorkerOptions {
  readonly process: SimulatedProcess;
  readonly agenda: Agenda;
  readonly server: TemporalServer;
  readonly runtime: WorkflowRuntime;
  readonly activities: Activities;
  /** A workflow task failed, or a replay asked for something else than before. */
  readonly onBroken: (task: WorkflowTask, failure: Failure) => void;
}

/** The server passes on heartbeats at most so often, in milliseconds: as the SDK does with the product's setting. */
const HEARTBEAT_THROTTLE_MS = 1000;

/** A worker of the SDK in a simulated process: takes tasks, keeps workflows in memory, runs activities. */
export class SdkWorker implements TaskTaker {
  readonly name: string;
  readonly #options: SdkWorkerOptions;
  readonly #cache = new Map<string, CachedRun>();
  /** Runs whose task it has answered, and the server has not said yet whether it took that. */
  readonly #answered = new Map<string, { readonly token: number; readonly settled: Promise<void> }>();

  constructor(options: SdkWorkerOptions) {
    this.#options = options;
    this.name = options.process.name;
    options.process.onEnd(() => this.#end());
    options.server.register(this);
  }

  /** Workflows in memory. */
  get cached(): readonly string[] {
    return [...this.#cache.keys()];
  }

  /** Forgets a workflow, as where there is no room for all. */
  evict(runId: string): void {
    this.#cache.get(runId)?.evict();
    this.#cache.delete(runId);
  }

  /** As the SDK's core does, it begins the next task of a run when it knows what became of its answer to the one before. */
  takeWorkflowTask(task: WorkflowTask): void {
    this.#options.process.whenItGoes(() => {
      const answered = this.#answered.get(task.runId);
      if (answered === undefined) this.#work(task);
      else void answered.settled.then(() => this.takeWorkflowTask(task));
    });
  }

  takeActivityTask(task: ActivityTask): void {
    this.#options.process.whenItGoes(() => this.#runTask(task));
  }

  #work(task: WorkflowTask): void {
    const { runId } = task;
    const cached = this.#cache.get(runId);
    // Where it is at an earlier task still, that is lost: somebody else may have answered another one with the same numbers.
    if (cached?.isAtWork === true || cached?.processedId !== lastAnsweredId(task)) this.evict(runId);
    const known = this.#cache.get(runId) ?? new CachedRun(this.#services());
    this.#cache.set(runId, known);
    known.take(task);
  }

  #runTask(task: ActivityTask): void {
    const { process, activities, server, agenda } = this.#options;
    const { activity, token, runId } = task;
    const { activityType, activityId, input, startToCloseMs, heartbeatMs } = activity;
    const ended = new AbortController();
    let beatenAt = -Infinity;
    const askServer = () => process.call('heartbeat', () => server.runOf(runId).activities.beat(token));
    const heartbeat = () => {
      if (agenda.now - beatenAt < HEARTBEAT_THROTTLE_MS) return;
      beatenAt = agenda.now;
      // Nobody waits for it any more.
      const give = (error: unknown) => void (error instanceof NotFound && ended.abort());
      askServer().catch(give);
    };
    void runActivity({
      ...task,
      activities,
      activityType,
      activityId,
      input,
      isLocal: false,
      taskQueue: '',
      startToCloseMs,
      heartbeatMs,
      signal: ended.signal,
      heartbeat,
      askServer,
    }).then((outcome) =>
      this.#report('completeActivity', () => server.runOf(runId).activities.complete(token, outcome)),
    );
  }

  #services() {
    const { agenda, runtime, process, onBroken, server } = this.#options;
    return {
      agenda,
      runtime,
      clock: process.clock,
      runLocal: (task: WorkflowTask, activity: LocalActivity, scheduledAt: number) =>
        this.#runLocal(task, activity, scheduledAt),
      answer: (task: WorkflowTask, answer: WorkflowTaskAnswer) => this.#answer(task, answer),
      onBroken: (task: WorkflowTask, failure: Failure) => {
        onBroken(task, failure);
        this.evict(task.runId);
        void this.#report('failTask', () => server.runOf(task.runId).failTask(task.token, failure));
      },
    };
  }

  #runLocal(task: WorkflowTask, activity: LocalActivity, scheduledAt: number): Promise<LocalActivityMarker> {
    const { process, activities } = this.#options;
    const { activityType, seq, input, startToCloseMs, originalScheduleTime } = activity;
    return runLocalActivity(process.clock, activity, scheduledAt, ({ attempt, signal }) =>
      runActivity({
        ...task,
        activities,
        activityType,
        activityId: String(seq),
        input,
        isLocal: true,
        attempt,
        scheduledAt: originalScheduleTime,
        startToCloseMs,
        heartbeatMs: 0,
        signal,
        heartbeat: () => {},
      }),
    );
  }

  #answer(task: WorkflowTask, answer: WorkflowTaskAnswer): void {
    const { runId, token } = task;
    this.#answered.set(runId, { token, settled: this.#settle(task, answer) });
  }

  async #settle(task: WorkflowTask, answer: WorkflowTaskAnswer): Promise<void> {
    const { runId, token } = task;
    await this.#tellAnswer(task, answer);
    if (this.#answered.get(runId)?.token === token) this.#answered.delete(runId);
  }

  async #tellAnswer(task: WorkflowTask, answer: WorkflowTaskAnswer): Promise<void> {
    const { server } = this.#options;
    const isOver = answer.commands.some(isClosing);
    const run = this.#cache.get(task.runId);
    const isTaken = await this.#report('completeTask', () => server.runOf(task.runId).completeTask(task.token, answer));
    // Another one may have been made of it meanwhile.
    if ((isOver || !isTaken) && this.#cache.get(task.runId) === run) this.evict(task.runId);
  }

  /** Tells the server until it answers; answers whether it took it. */
  async #report(what: string, tell: () => void): Promise<boolean> {
    const { process } = this.#options;
    for (;;) {
      try {
        await process.call(what, tell);
        return true;
      } catch (error) {
        if (error instanceof NotFound) return false;
        if (!(error instanceof NoAnswerFromTemporal)) throw error;
        await new Promise<void>((resolve) => void process.clock.after(RETRY_MS, resolve));
      }
    }
  }

  #end(): void {
    this.#options.server.unregister(this);
    for (const runId of this.cached) this.evict(runId);
  }
}

const RETRY_MS = 500;

/** Nobody knows whether the server took it. */
export class NoAnswerFromTemporal extends Error {
  override readonly name = 'NoAnswerFromTemporal';
}

/** The start of the last workflow task that was answered. 0: none was. */
function lastAnsweredId({ history }: WorkflowTask): number {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const event = history[index];
    if (event?.type === 'taskCompleted') return event.startedId;
  }
  return 0;
}
