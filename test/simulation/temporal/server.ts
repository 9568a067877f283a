import type { Agenda } from '../time/agenda.ts';
import type { Random } from '../time/random.ts';
import type { Payload } from './history-event.ts';
import { Run, type RunIdentity, type RunServices } from './run.ts';
import { NotFound, type ActivityTask, type Signal, type TaskTaker } from './tasks.ts';
import { given } from '../../../providers/given.ts';

export interface ServerOptions {
  readonly agenda: Agenda;
  readonly random: Random;
  /** How long a task waits for the worker that has its workflow in memory, in milliseconds. */
  readonly stickyMs: number;
  /** Events of a history after which it is suggested to continue as new. */
  readonly longHistory: number;
  /** How late lists of workflows are, in milliseconds. */
  readonly listLagMs: number;
}

export interface StartRequest {
  readonly workflowId: string;
  readonly workflowType: string;
  readonly taskQueue: string;
  readonly input: readonly Payload[];
  readonly attributes: Readonly<Record<string, Payload>>;
}

/** What comes of handing out a task: how long it takes to get there, in milliseconds, or that it is lost on the way. */
export type Handing = { readonly afterMs: number; readonly isLost: boolean };

/** A Temporal namespace in memory, with one task queue: what a client and a worker can see of it, in virtual time. */
export class TemporalServer {
  /** Another one where the database was lost. */
  namespaceId: string;
  /** All runs there ever were, by their id. */
  readonly runs = new Map<string, Run>();
  /** How tasks get to workers. */
  onHanding: (taker: TaskTaker) => Handing = () => ({ afterMs: 1, isLost: false });
  /** A run has ended, in whatever way. */
  onClosed: (run: Run) => void = () => {};
  /** A worker takes up a workflow task. */
  onTask: (run: Run) => void = () => {};
  /** A worker answers a query without arguments from what the workflow knew after its last task. */
  onQuery: (run: Run, queryType: string) => Promise<Payload> = () => Promise.reject(new Error('nobody answers'));
  readonly #options: ServerOptions;
  readonly #newest = new Map<string, Run>();
  readonly #takers = new Map<string, TaskTaker>();
  /** Tasks that nobody was there to take. */
  readonly #waiting: (() => void)[] = [];
  readonly #services: RunServices;
  #tokens = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { agenda, random, longHistory } = options;
    this.namespaceId = random.uuid();
    this.#services = {
      agenda,
      longHistory,
      newToken: () => (this.#tokens += 1),
      offerWorkflowTask: (run) => this.#offerWorkflowTask(run),
      offerActivityTask: (_run, task) => this.#offerActivityTask(task),
      continueAsNew: (run, input) => this.#continueAsNew(run, input),
      onClosed: (run) => this.onClosed(run),
      onTask: (run) => this.onTask(run),
    };
  }

  /** Begins to hand out tasks to a worker. */
  register(taker: TaskTaker): void {
    this.#takers.set(taker.name, taker);
    for (const offer of this.#waiting.splice(0)) offer();
  }

  unregister({ name }: TaskTaker): void {
    this.#takers.delete(name);
  }

  /** Leaves a workflow alone that runs already. */
  start(request: StartRequest): Run {
    const running = this.#running(request.workflowId);
    return running ?? this.#begin(request, undefined);
  }

  signalWithStart(request: StartRequest, signal: Signal): Run {
    const running = this.#running(request.workflowId);
    if (running === undefined) return this.#begin(request, undefined, signal);
    running.tell({ type: 'signaled', ...signal });
    return running;
  }

  signal(workflowId: string, signal: Signal): void {
    this.require(workflowId).tell({ type: 'signaled', ...signal });
  }

  query(run: Run, queryType: string): Promise<Payload> {
    if (this.#takers.size === 0) throw new Error('no worker has polled lately');
    return this.onQuery(run, queryType);
  }

  terminate(workflowId: string): void {
    this.require(workflowId).terminate();
  }

  /** The newest run of a workflow. */
  newest(workflowId: string): Run | undefined {
    return this.#newest.get(workflowId);
  }

  /** Of the object with this uid, which is the last part of a workflow's id. */
  newestOf(uid: string): Run | undefined {
    for (const [id, run] of this.#newest) if (id.endsWith(`/${uid}`)) return run;
    return undefined;
  }

  running(): readonly Run[] {
    return Array.from(this.#newest.values()).filter((run) => run.isRunning);
  }

  /** What a list shows: it is late. */
  listed(): readonly Run[] {
    const { agenda, listLagMs } = this.#options;
    return this.running().filter(({ history: [first] }) => first !== undefined && first.at + listLagMs <= agenda.now);
  }

  /** The whole database is gone: no run is there any more, and nobody was told. */
  lose(): void {
    for (const run of this.running()) run.vanish();
    this.runs.clear();
    this.#newest.clear();
    this.namespaceId = this.#options.random.uuid();
  }

  /** Its newest run, which has to be there. */
  known(workflowId: string): Run {
    const run = this.newest(workflowId);
    if (run === undefined) throw new NotFound(`workflow not found for ID: ${workflowId}`);
    return run;
  }

  /** Its newest run, which has to be under way. */
  require(workflowId: string): Run {
    const run = this.known(workflowId);
    if (!run.isRunning) throw new NotFound('workflow execution already completed');
    return run;
  }

  /** The run that a task is of. */
  runOf(runId: string): Run {
    const run = this.runs.get(runId);
    if (run === undefined || !run.isRunning) throw new NotFound(`run ${runId} is over`);
    return run;
  }

  #running(workflowId: string): Run | undefined {
    const run = this.#newest.get(workflowId);
    return run?.isRunning === true ? run : undefined;
  }

  #begin(request: StartRequest, before: Run | undefined, signal?: Signal): Run {
    const { workflowId, workflowType, taskQueue, input, attributes } = request;
    const runId = this.#options.random.uuid();
    const firstRunId = before?.identity.firstRunId ?? runId;
    const identity: RunIdentity = { workflowId, runId, workflowType, taskQueue, firstRunId };
    const run = new Run(identity, this.#services);
    this.runs.set(runId, run);
    this.#newest.set(workflowId, run);
    const continuedFrom = given({ continuedFrom: before?.identity.runId });
    const started = { workflowType, taskQueue, input, firstRunId, attributes, ...continuedFrom };
    run.begin({ type: 'started', ...started }, signal);
    return run;
  }

  #continueAsNew(run: Run, input: readonly Payload[]): string {
    const { attributes } = run;
    return this.#begin({ ...run.identity, input, attributes }, run).identity.runId;
  }

  #offerWorkflowTask(run: Run): void {
    const token = run.tasks.token;
    const isOpen = () => run.tasks.waitsForWorker && run.tasks.token === token;
    const { agenda, stickyMs } = this.#options;
    if (run.tasks.stickyTo === undefined) {
      this.#toSomebody(isOpen, (taker) => this.#handWorkflowTask(run, taker));
      return;
    }
    const sticky = this.#takers.get(run.tasks.stickyTo);
    if (sticky !== undefined) this.#hand(sticky, isOpen, () => this.#handWorkflowTask(run, sticky));
    agenda.after(stickyMs, () => token !== undefined && run.tasks.giveUpSticky(token));
  }

  #handWorkflowTask(run: Run, taker: TaskTaker): (() => void) | undefined {
    const task = run.startTask(taker);
    return task && (() => taker.takeWorkflowTask(task));
  }

  #offerActivityTask(start: () => ActivityTask | undefined): void {
    this.#toSomebody(
      () => true,
      (taker) => {
        const task = start();
        return task && (() => taker.takeActivityTask(task));
      },
    );
  }

  /** To one of those that poll; where there is none, as soon as one comes. */
  #toSomebody(isOpen: () => boolean, start: (taker: TaskTaker) => (() => void) | undefined): void {
    if (!isOpen()) return;
    const taker = this.#options.random.pick([...this.#takers.values()]);
    if (taker === undefined) this.#waiting.push(() => this.#toSomebody(isOpen, start));
    else
      this.#hand(
        taker,
        isOpen,
        () => start(taker),
        () => this.#toSomebody(isOpen, start),
      );
  }

  #hand(
    taker: TaskTaker,
    isOpen: () => boolean,
    start: () => (() => void) | undefined,
    otherwise: () => void = () => {},
  ): void {
    const { afterMs, isLost } = this.onHanding(taker);
    this.#options.agenda.after(afterMs, () => {
      if (!isOpen()) return;
      // It went away meanwhile.
      if (this.#takers.get(taker.name) !== taker) return otherwise();
      const deliver = start();
      if (!isLost) deliver?.();
    });
  }
}
