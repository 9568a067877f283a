import { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { KubeClient } from '../../k8s/client.ts';
import type { Node } from '../../k8s/model/node.ts';
import { NAMESPACES } from '../../k8s/resources.ts';
import type { DescribedInstance } from '../../devstack/doubles/cloud/cloud-instance.ts';
import { guardProvider } from '../../providers/guarded-provider.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { defaultWatcherOptions } from '../../starters/watcher/watcher-options.ts';
import { Watcher } from '../../starters/watcher/watcher.ts';
import { wireActivities } from '../../workers/wire-activities.ts';
import { taskQueueOf } from '../../workflows/ids.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { createLogger } from '../../process/logging.ts';
import { startTracing } from '../../process/tracing.ts';
import { ApiServer } from '../world/kubernetes/api-server.ts';
import { createWorldClient } from '../world/kubernetes/client.ts';
import { Adversary } from './adversary/adversary.ts';
import { CALM } from './adversary/disturbances.ts';
import { nameOf } from './adversary/sides.ts';
import { collectGarbage } from './cluster/garbage.ts';
import type { WorkloadsRun } from './cluster/workload-kinds.ts';
import { Workloads } from './cluster/workloads.ts';
import type { KubeRequest } from '../world/kubernetes/request.ts';
import { Kubelets } from './cluster/kubelets.ts';
import { CloudInMemory } from './cluster/cloud.ts';
import { createCloud, prepareCloud } from './cluster/cloud-kinds.ts';
import { watchesOf, watchLag } from './cluster/watches.ts';
import { QueryWorker, takeUp } from './core/take-up.ts';
import { workflowTypeNow } from './core/run-activity.ts';
import { SdkWorker } from './core/sdk-worker.ts';
import { NAMESPACE, WorkflowRuntime } from './core/workflow-runtime.ts';
import { SimulatedProcess } from './process.ts';
import { Story } from './story.ts';
import { afterOpenTask } from './temporal/after-open-task.ts';
import { connectTo } from './temporal/client-connection.ts';
import type { Run } from './temporal/run.ts';
import { TemporalServer } from './temporal/server.ts';
import { Agenda } from './time/agenda.ts';
import { clockOf } from './time/clock.ts';
import { Random } from './time/random.ts';
import type { UniverseOptions } from './universe-options.ts';

export const START = Date.parse('2026-01-01T00:00:00Z');

/** The isolate's workflows are one runtime for all universes of a process: it takes a second to make. */
let runtime: Promise<WorkflowRuntime> | undefined;

/** Everything there is in one run: a cluster, a cloud, a Temporal, the product's processes, and what is between them. */
export class Universe {
  readonly agenda: Agenda;
  readonly story: Story;
  readonly adversary: Adversary;
  readonly api: ApiServer;
  readonly cloud: CloudInMemory;
  readonly kubelets: Kubelets;
  readonly temporal: TemporalServer;
  readonly workers = new Map<string, { readonly process: SimulatedProcess; readonly sdk: SdkWorker }>();
  readonly watchers = new Map<string, SimulatedProcess>();
  readonly clusterUid: string;
  readonly hasCredentials: boolean;
  readonly workloads: WorkloadsRun | undefined;
  /** Of what happens outside the product. */
  readonly random: Random;
  /** A process writes a line to its log. */
  onLogLine: (who: string, line: string) => void = () => {};
  /** A request of the product to the API server takes effect; it is for a workflow of this type. */
  onRequest: (request: KubeRequest, by: string | undefined) => void = () => {};
  /** Whether the kubelet of an instance ever comes up. */
  joins: (instance: DescribedInstance) => boolean = () => true;
  /** Whether it does after a reboot. */
  bootsAgain: (instance: DescribedInstance) => boolean = () => true;
  /** When a client of Temporal waited in vain for the answer to a query, the last time. */
  queryUnansweredAt = -Infinity;
  readonly #options: UniverseOptions;
  readonly #runtime: WorkflowRuntime;
  readonly #queries: QueryWorker;
  #incarnations = 0;
  #isOver = false;

  private constructor(options: UniverseOptions, workflows: WorkflowRuntime) {
    const { seed, weather, assumptions, cloud, longHistory, allows } = options;
    this.#options = options;
    this.hasCredentials = options.hasCredentials;
    this.workloads = options.workloads;
    this.#runtime = workflows;
    const random = (of: string): Random => new Random(`${seed} ${of}`);
    this.random = random('outside');
    this.agenda = new Agenda(START);
    const { agenda } = this;
    this.story = new Story(() => agenda.now - START);
    const { story } = this;
    this.adversary = new Adversary({ agenda, random: random('adversary'), story, weather, assumptions, allows });
    const clock = clockOf(agenda, random('cloud'));
    const uids = random('uids');
    this.api = new ApiServer({ now: () => agenda.now, garbage: 'when told', newUid: () => uids.uuid() });
    this.cloud = new CloudInMemory(createCloud(cloud, clock), assumptions.viewLagMs);
    this.temporal = new TemporalServer({
      agenda,
      random: random('temporal'),
      stickyMs: 3000,
      longHistory,
      listLagMs: 2000,
    });
    const tasks = random('tasks');
    this.temporal.onHanding = ({ name }) => {
      let isLost = false;
      if (tasks.chance(weather.lostTasks))
        this.adversary.disturb(name, 'a task is lost on its way', () => (isLost = true));
      return { afterMs: tasks.around(2), isLost };
    };
    this.#queries = new QueryWorker({ agenda, runtime: workflows, onBroken: options.onBroken });
    this.temporal.onQuery = async (run, queryType) => {
      if (await afterOpenTask(run, agenda)) return this.#queries.query(run, queryType);
      this.queryUnansweredAt = agenda.now;
      throw new Error(`DEADLINE_EXCEEDED: nobody has done the workflow task before the query ${queryType}`);
    };
    this.clusterUid = uids.uuid();
    const metadata = { name: 'kube-system', uid: this.clusterUid };
    this.api.put({ apiVersion: NAMESPACES.apiVersion, kind: NAMESPACES.kind, metadata });
    const living = () => this.cloud.living();
    const joins = (instance: DescribedInstance) => this.joins(instance);
    const bootsAgain = (instance: DescribedInstance) => this.bootsAgain(instance);
    this.kubelets = new Kubelets({ api: this.api, agenda, random: random('kubelets'), living, joins, bootsAgain });
    this.kubelets.start();
    collectGarbage(this.api, agenda, this.random);
    // Pods on the Node of what is another's would never be drained.
    const isOwn = ({ spec }: Node) =>
      !living().some(({ providerID, machineUid }) => providerID === spec?.providerID && machineUid === undefined);
    const { workloads: run } = this;
    if (run !== undefined) new Workloads({ api: this.api, agenda, random: random('workloads'), isOwn, run }).start();
  }

  static async create(options: UniverseOptions): Promise<Universe> {
    runtime ??= WorkflowRuntime.create();
    await prepareCloud(options.cloud);
    const universe = new Universe(options, await runtime);
    for (let n = 1; n <= options.workers; n += 1) universe.startWorker(`worker-${n}`);
    for (let n = 1; n <= options.watchers; n += 1) await universe.startWatcher(`watcher-${n}`);
    return universe;
  }

  startWorker(name: string): void {
    const { agenda, temporal, clusterUid } = this;
    const process = this.#process(name);
    const kube = this.kubeOf(process);
    const { clock } = process;
    const log = this.#logOf(process, 'worker');
    const taskQueue = taskQueueOf(clusterUid);
    const client = new Client({ connection: connectTo(temporal, process), namespace: NAMESPACE });
    const activities = wireActivities(client, {
      kube,
      clusterUid,
      clusterNames: [],
      leaseNamespace: 'kube-system',
      clock,
      log,
      providers: createProviderRegistry([guardProvider(this.cloud.providerOf(process, kube), clock)]),
      settings: DEFAULT_MACHINE_SETTINGS,
      inventoryIntervalSeconds: 300,
      taskQueue,
    });
    const sdk = new SdkWorker({
      process,
      agenda,
      server: temporal,
      runtime: this.#runtime,
      activities,
      onBroken: this.#options.onBroken,
    });
    this.workers.set(name, { process, sdk });
    process.onEnd(() => this.#startAgain(process, 'worker', () => this.startWorker(name)));
  }

  async startWatcher(name: string): Promise<void> {
    const { agenda, api, temporal } = this;
    const { weather } = this.#options;
    const process = this.#process(name);
    const log = this.#logOf(process, 'watcher');
    const random = new Random(`${this.#options.seed} watches ${process.name} ${this.#incarnations}`);
    const watcher = new Watcher(
      defaultWatcherOptions({ temporal: { address: 'simulated', namespace: NAMESPACE, access: {} } }),
      {
        kube: this.kubeOf(process),
        watch: watchesOf({
          api,
          process,
          agenda,
          random,
          lagMs: watchLag(random, weather !== CALM),
          cutMs: () => Math.max(0, this.adversary.cutUntil(process, 'kube') - agenda.now),
        }),
        connection: connectTo(temporal, process),
        clock: process.clock,
        tracing: await startTracing('simulated', log),
        registry: new Registry(),
        log,
      },
    );
    this.watchers.set(name, process);
    process.onEnd(() => this.#startAgain(process, 'watcher', () => void this.startWatcher(name)));
    await watcher.start();
  }

  /** The API server is away for a while, for the product and for the Nodes. */
  loseApiServer(forMs: number): void {
    this.adversary.cutAll('kube', forMs);
    this.kubelets.goUnheard(forMs);
  }

  /** A client of the API server in a process. */
  kubeOf(process: SimulatedProcess): KubeClient {
    return createWorldClient(this.api, (request, carryOut) => {
      const by = workflowTypeNow();
      return process.call(nameOf(request), () => {
        this.onRequest(request, by);
        return carryOut();
      });
    });
  }

  /** The product's processes, those that live. */
  processes(): readonly SimulatedProcess[] {
    return [...Array.from(this.workers.values(), ({ process }) => process), ...this.watchers.values()].filter(
      ({ isAlive }) => isAlive,
    );
  }

  /** By how much a host's clock may be ahead, in milliseconds: no two are further apart than is taken for granted. */
  skew(random: Random): number {
    return Math.round((random.next() - 0.5) * this.#options.assumptions.clockSkewMs);
  }

  /** A worker that knows nothing of it takes a history up: what it asks for has to be what was asked for. */
  replay(run: Run): Promise<void> {
    return takeUp(run, { agenda: this.agenda, runtime: this.#runtime, onBroken: this.#options.onBroken });
  }

  /** Everything stops. */
  end(): void {
    this.#isOver = true;
    for (const process of this.processes()) process.die();
    this.#queries.end();
  }

  #process(name: string): SimulatedProcess {
    const { agenda, adversary: network } = this;
    const { seed } = this.#options;
    this.#incarnations += 1;
    const random = new Random(`${seed} ${name} ${this.#incarnations}`);
    const skewMs = random.chance(0.3) ? this.skew(random) : 0;
    return new SimulatedProcess({ name, agenda, random, network, skewMs });
  }

  #logOf({ name }: SimulatedProcess, component: 'worker' | 'watcher'): Logger {
    return createLogger(component, 'debug', { write: (line) => this.onLogLine(name, line) });
  }

  #startAgain(process: SimulatedProcess, what: string, start: () => void): void {
    if (this.#isOver) return;
    const afterMs = 500 + this.random.around(10_000);
    this.story.tell(process.name, `the ${what} dies, and starts again in ${Math.round(afterMs / 100) / 10} s`);
    this.agenda.after(afterMs, start);
  }
}
