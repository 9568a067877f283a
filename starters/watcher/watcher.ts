import type { Server } from 'node:http';
import type { Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { createKubeClient, type KubeClient } from '../../k8s/client.ts';
import { readClusterUid } from '../../k8s/cluster.ts';
import { APIS } from '../../k8s/dialects/registry.ts';
import { compileWellFormedChecks } from '../../k8s/dialects/well-formed.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import { delay, type Clock } from '../../providers/clock.ts';
import { HeldLease } from '../../process/held-lease.ts';
import { serveHealth, type ReadinessCheck } from '../../process/health.ts';
import { createLogger, describeWorkflow } from '../../process/logging.ts';
import { serveProfiling } from '../../process/profiling.ts';
import { describeTemporalFailure } from '../../process/temporal-failure.ts';
import { startTracing, type Tracing } from '../../process/tracing.ts';
import { registerSearchAttributes } from '../search-attributes.ts';
import { ClusterView } from './cluster-view.ts';
import { logSignals } from './log-signals.ts';
import { isPaced, paceOf, type Pace } from './pace.ts';
import type { Wake } from './wake.ts';
import { SignalQueue } from './signal-queue.ts';
import { sweep } from './sweep.ts';
import type { ObjectWatch } from './object-source.ts';
import { ReportingWatch } from './reporting-watch.ts';
import { connectLazily, TemporalLink } from './temporal-link.ts';
import { Upkeep } from './upkeep.ts';
import { WakeSender, type SendTarget } from './wake-sender.ts';
import { WatcherMetrics } from './watcher-metrics.ts';
import { defaultWatcherOptions, type DefaultedWatcherOptions, type WatcherOptions } from './watcher-options.ts';
import { watcherChecks } from './watcher-readiness.ts';

export interface RunningWatcher {
  /** Lets the Lease go and ends everything. May be called again. */
  stop(): Promise<void>;
}

/** Pause before the cluster's uid is asked for again, in milliseconds. */
const RETRY_MS = 1000;
/** Sweeps that are asked for within this time are one, in milliseconds. */
const SWEEP_DELAY_MS = 100;

/**
 * Starts a watcher: it turns changes of Machines, MachineSets, MachineClasses, Clusters and Nodes into signals to their workflows, and decides
 * nothing. Resolves once it runs, which does not wait for the API server or Temporal: those may come, go and come back.
 * Rejects where the options or the kubeconfig cannot work.
 */
export async function runWatcher(options: WatcherOptions, clock: Clock): Promise<RunningWatcher> {
  const defaulted = defaultWatcherOptions(options);
  const log = createLogger('watcher', defaulted.logLevel);
  compileWellFormedChecks();
  const config = loadKubeConfig(defaulted);
  const watcher = new Watcher(defaulted, {
    kube: createKubeClient(config, { clock }),
    watch: new ReportingWatch(config),
    connection: connectLazily(defaulted.temporal),
    clock,
    tracing: await startTracing('millwright-watcher', log),
    log,
  });
  await watcher.start();
  return watcher;
}

/** What a watcher sees and acts through. */
export interface WatcherParts {
  readonly kube: KubeClient;
  readonly watch: ObjectWatch;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly tracing: Tracing;
  readonly log: Logger;
}

/** {@link runWatcher} makes one. */
export class Watcher implements RunningWatcher {
  readonly #options: DefaultedWatcherOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #tracing: Tracing;
  readonly #metrics: WatcherMetrics;
  readonly #kube: KubeClient;
  readonly #view: ClusterView;
  readonly #link: TemporalLink;
  readonly #lease: HeldLease;
  readonly #queue: SignalQueue<SendTarget>;
  readonly #upkeep: Upkeep;
  #sender: WakeSender | undefined;
  readonly #servers: Server[] = [];
  #sweeping = new AbortController();
  /** Ends the wakes that one change of a MachineClass or a Cluster is for. */
  #pacing = new AbortController();
  #isUnswept = true;
  #stopping: Promise<void> | undefined;

  constructor(options: DefaultedWatcherOptions, { kube, watch, connection, clock, tracing, log }: WatcherParts) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#tracing = tracing;
    this.#kube = kube;
    this.#view = new ClusterView({
      watch,
      kube: this.#kube,
      apis: APIS,
      namespace: options.namespace,
      watchRetryMostMs: options.watchRetryMostMs,
      onWakes: (wakes) => this.#wakeAll(wakes),
      onMachine: (change) => this.#metrics.onMachine(change),
      onListed: () => this.#requestSweep('objects were listed'),
      clock,
      log,
    });
    this.#metrics = new WatcherMetrics({
      index: this.#view.index,
      apis: APIS,
      temporalNamespace: options.temporal.namespace,
      checks: () => this.#checks(),
      isActive: () => this.#lease.state === 'held',
      pendingSignals: () => this.#queue.size,
      clock,
    });
    this.#link = new TemporalLink({
      temporal: options.temporal,
      connection,
      interceptors: { workflow: [this.#metrics.temporalCalls, logSignals(log), ...tracing.client] },
      timeoutMs: options.temporalTimeoutMs,
      pollMs: options.namespacePollMs,
      prepare: () => this.#prepareNamespace(),
      onUp: () => this.#onTemporalUp(),
      onDown: () => this.#queue.gate.close(),
      clock,
      log,
    });
    this.#lease = new HeldLease({
      who: 'watcher',
      fieldManager: 'millwright-watcher',
      kube: this.#kube,
      name: options.leaseName,
      namespace: options.leaseNamespace,
      durationSeconds: options.leaseDurationSeconds,
      renewMs: options.leaseRenewMs,
      onHeld: () => this.#requestSweep('this watcher became active'),
      onLost: () => this.#standBy(),
      clock,
      log,
    });
    this.#queue = new SignalQueue<SendTarget>({
      send: async (target) => this.#sender?.send(target),
      onFailure: (target, error, retryMs) => this.#reportFailure(target, error, retryMs),
      concurrency: options.concurrency,
      clock,
    });
    this.#queue.gate.close();
    this.#upkeep = new Upkeep({
      inventoryCheckMs: options.inventoryCheckMs,
      slowSweepMs: options.slowSweepSeconds * 1000,
      perSecond: options.sweepPerSecond,
      isActive: () => this.#isActive(),
      ensureInventory: () => this.#wakeNow('inventory'),
      refs: () => this.#view.index.refs(),
      ensure: async (ref) => (await this.#sender?.ensure(ref)) ?? false,
      clock,
      log,
    });
  }

  async start(): Promise<void> {
    const { healthHost, healthPort, profilingPort, temporal } = this.#options;
    if (healthPort !== undefined) {
      const checks = () => this.#checks();
      const metrics = () => this.#metrics.registry.metrics();
      this.#servers.push(await serveHealth({ host: healthHost, port: healthPort, checks, metrics, log: this.#log }));
    }
    if (profilingPort !== undefined) this.#servers.push(await serveProfiling(profilingPort, this.#log));
    this.#log.info({ temporalAddress: temporal.address, temporalNamespace: temporal.namespace }, 'watcher starts');
    this.#view.start();
    this.#lease.start();
    this.#link.start();
    this.#upkeep.start();
    void this.#learnCluster();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  #checks(): readonly ReadinessCheck[] {
    return watcherChecks({
      isEnding: this.#stopping !== undefined,
      isClusterKnown: this.#sender !== undefined,
      view: this.#view,
      lease: this.#lease,
      link: this.#link,
    });
  }

  async #stopAll(): Promise<void> {
    this.#log.info('watcher ends');
    this.#upkeep.stop();
    this.#sweeping.abort();
    this.#pacing.abort();
    this.#queue.clear();
    await this.#view.stop();
    await this.#lease.stop();
    await this.#link.stop();
    await this.#tracing.end();
    for (const server of this.#servers) server.close();
  }

  async #learnCluster(): Promise<void> {
    while (this.#stopping === undefined) {
      try {
        const clusterUid = await readClusterUid(this.#kube);
        const { taskQueue } = this.#options;
        this.#sender = new WakeSender({ link: this.#link, index: this.#view.index, clusterUid, taskQueue });
        this.#log.info({ cluster: clusterUid }, 'the cluster is known');
        this.#requestSweep('the cluster is known');
        return;
      } catch (error) {
        this.#log.warn({ error: String(error) }, `could not read the uid of kube-system; next try in ${RETRY_MS} ms`);
        await delay(this.#clock, RETRY_MS);
      }
    }
  }

  async #prepareNamespace(): Promise<void> {
    this.#isUnswept = true;
    await registerSearchAttributes(this.#link.connection, this.#options.temporal.namespace);
  }

  #onTemporalUp(): void {
    this.#queue.gate.open();
    if (this.#isUnswept) this.#requestSweep('the Temporal namespace is new to this watcher');
  }

  #standBy(): void {
    // Who becomes active next signals everything.
    this.#sweeping.abort();
    this.#pacing.abort();
    this.#pacing = new AbortController();
    this.#queue.clear();
  }

  #wakeAll(wakes: readonly Wake[]): void {
    if (this.#lease.state !== 'held') return;
    const { sweepPerSecond } = this.#options;
    const paced: Wake[] = [];
    for (const wake of wakes) {
      this.#log.debug({ target: wake.target, because: wake.because }, 'wake');
      if (isPaced(wake)) paced.push(wake);
      else this.#wake(paceOf(wake, this.#options));
    }
    if (paced.length === 0) return;
    const until = { clock: this.#clock, signal: this.#pacing.signal };
    void sweep(paced, sweepPerSecond, until, (wake) => this.#wake(paceOf(wake, this.#options)));
  }

  /** At once, but for the least time between two signals. */
  #wakeNow(target: SendTarget): void {
    this.#wake({ target, gapMs: this.#options.signalGapMs, delayMs: 0 });
  }

  #wake({ target, gapMs, delayMs }: Pace): void {
    // Before the cluster is known nothing is sent; a sweep follows.
    if (this.#sender !== undefined) this.#queue.wake(this.#sender.keyOf(target), target, gapMs, delayMs);
  }

  /** Whether all is there that it takes to signal everything. */
  #isActive(): boolean {
    return (
      this.#stopping === undefined &&
      this.#sender !== undefined &&
      this.#view.isSynced &&
      this.#lease.state === 'held' &&
      this.#queue.gate.isOpen
    );
  }

  /** Signals everything, paced, once all that it takes is there: each of those asks for it when it comes. */
  #requestSweep(why: string): void {
    if (!this.#isActive()) {
      this.#isUnswept = true;
      return;
    }
    this.#isUnswept = false;
    this.#sweeping.abort();
    this.#sweeping = new AbortController();
    void this.#sweep(why, this.#sweeping.signal);
  }

  async #sweep(why: string, signal: AbortSignal): Promise<void> {
    await delay(this.#clock, SWEEP_DELAY_MS, signal);
    if (signal.aborted) return;
    const refs = this.#view.index.refs();
    this.#log.info({ why, objects: refs.length }, 'signalling everything');
    this.#wakeNow('inventory');
    const until = { clock: this.#clock, signal };
    await sweep(refs, this.#options.sweepPerSecond, until, (ref) => this.#wakeNow(ref));
  }

  #reportFailure(target: SendTarget, error: unknown, retryMs: number): void {
    // That Temporal is away is said once, by the link.
    if (!this.#queue.gate.isOpen) return;
    const workflow = describeWorkflow(this.#sender?.keyOf(target) ?? '');
    this.#log.warn({ ...workflow, error: describeTemporalFailure(error), retryMs }, 'could not signal; trying again');
  }
}
