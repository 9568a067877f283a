import { Client, type WorkflowHandle } from '@temporalio/client';
import type { Activities } from '../simulation/core/run-activity.ts';
import { SdkWorker } from '../simulation/core/sdk-worker.ts';
import { QueryWorker } from '../simulation/core/take-up.ts';
import { NAMESPACE, WorkflowRuntime } from '../simulation/core/workflow-runtime.ts';
import { SimulatedProcess, type Network } from '../simulation/process.ts';
import { connectTo } from '../simulation/temporal/client-connection.ts';
import type { Failure } from '../simulation/temporal/history-event.ts';
import type { Run } from '../simulation/temporal/run.ts';
import { TemporalServer } from '../simulation/temporal/server.ts';
import type { WorkflowTask } from '../simulation/temporal/tasks.ts';
import { Agenda } from '../simulation/time/agenda.ts';
import { Random } from '../simulation/time/random.ts';
import { agendaClock } from './agenda-clock.ts';
import type { WorldClock } from '../world/world-clock.ts';
import { bundledWorkflows } from './bundled-workflows.ts';
import type { Engine, Work } from './engine.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
/** Events of a history after which it is suggested to continue as new: as Temporal does. */
const LONG_HISTORY = 4096;
/** How long a workflow is waited for that is at work, in milliseconds. */
const WORK_MS = 100;

const NOTHING_BETWEEN: Network = { call: async (_from, _what, carryOut) => carryOut() };

/** Of the product's workflows, made once for a file of tests: it takes most of a second. */
let product: Promise<WorkflowRuntime> | undefined;
const productRuntime = (): Promise<WorkflowRuntime> =>
  (product ??= bundledWorkflows().then((bundle) => WorkflowRuntime.create(bundle)));

/**
 * The simulation's Temporal, in virtual time: no server runs, and hours take milliseconds. That it is like the real one is
 * held by test/integration/simulation, which has both run the same programs, and by the real core, which replays its histories.
 */
export class VirtualEngine implements Engine {
  readonly client: Client;
  readonly clock: WorldClock;
  readonly #agenda = new Agenda(START);
  readonly #random = new Random('tests');
  readonly #server: TemporalServer;
  readonly #queries: QueryWorker;
  readonly #processes: SimulatedProcess[] = [];
  readonly #broken: string[] = [];

  private constructor(workflows: WorkflowRuntime) {
    const agenda = this.#agenda;
    this.clock = agendaClock(agenda);
    this.#server = new TemporalServer({
      agenda,
      random: this.#random,
      stickyMs: 3000,
      longHistory: LONG_HISTORY,
      listLagMs: 0,
    });
    this.#queries = new QueryWorker({ agenda, runtime: workflows, onBroken: this.#onBroken });
    this.#server.onQuery = async (run, queryType) => {
      // One that has just begun has to get to its first wait.
      await this.#letWork(run);
      return this.#queries.query(run, queryType);
    };
    this.client = new Client({ connection: connectTo(this.#server, this.#process('client')), namespace: NAMESPACE });
  }

  static async create(): Promise<VirtualEngine> {
    return new VirtualEngine(await productRuntime());
  }

  readonly now = async (): Promise<number> => this.#agenda.now;

  async pass(ms: number): Promise<void> {
    await this.#agenda.runUntil(this.#agenda.now + ms);
    const [broken] = this.#broken;
    if (broken !== undefined) throw new Error(`a workflow could not go on: ${broken}`);
  }

  async work({ activities, workflowBundle }: Work): Promise<{ stop(): Promise<void> }> {
    const process = this.#process(`worker-${this.#processes.length}`);
    const workflows = await (workflowBundle === undefined ? productRuntime() : WorkflowRuntime.create(workflowBundle));
    void new SdkWorker({
      process,
      agenda: this.#agenda,
      server: this.#server,
      runtime: workflows,
      activities: orDefault(activities),
      onBroken: this.#onBroken,
    });
    return { stop: async () => process.die() };
  }

  async comeToRest({ workflowId }: WorkflowHandle): Promise<void> {
    const run = this.#server.newest(workflowId);
    if (run !== undefined) await this.#letWork(run);
  }

  async #letWork(run: Run): Promise<void> {
    await this.#agenda.runUntil(this.#agenda.now + WORK_MS, () => run.isAtWork);
  }

  async stop(): Promise<void> {
    this.#queries.end();
    for (const process of this.#processes) process.die();
  }

  readonly #onBroken = ({ workflowId }: WorkflowTask, { message }: Failure): void => {
    this.#broken.push(`${workflowId}: ${message}`);
  };

  #process(name: string): SimulatedProcess {
    const process = new SimulatedProcess({
      name,
      agenda: this.#agenda,
      random: this.#random,
      network: NOTHING_BETWEEN,
    });
    this.#processes.push(process);
    return process;
  }
}

/** What has no name is the default one, as a worker of the SDK has it. */
function orDefault(activities: Activities): Activities {
  return new Proxy(activities, { get: (named, name) => named[String(name)] ?? named['default'] });
}
