import type { Server } from 'node:http';
import type { Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { KubeClient } from '../../k8s/client.ts';
import { createKubeClient } from '../../k8s/http-client.ts';
import { readClusterUid } from '../../k8s/cluster.ts';
import { APIS } from '../../k8s/dialects/registry.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import { delay, type Clock } from '../../providers/clock.ts';
import { HeldLease } from '../../process/held-lease.ts';
import { serveHealth, type ReadinessCheck } from '../../process/health.ts';
import { createLogger } from '../../process/logging.ts';
import { serveProfiling } from '../../process/profiling.ts';
import { startTracing, type Tracing } from '../../process/tracing.ts';
import { registerSearchAttributes } from '../search-attributes.ts';
import { ApiOutages } from './api-outages.ts';
import { ClusterView } from './cluster-view.ts';
import { logSignals } from './log-signals.ts';
import type { ObjectWatch } from './object-source.ts';
import { ReportingWatch } from './reporting-watch.ts';
import { connectLazily, TemporalLink } from './temporal-link.ts';
import { tellingReads, tellingWatch } from './tell-answers.ts';
import { Upkeep } from './upkeep.ts';
import { Waker } from './waker.ts';
import { WakeSender } from './wake-sender.ts';
import { WatcherMetrics } from './watcher-metrics.ts';
import { defaultWatcherOptions, type DefaultedWatcherOptions, type WatcherOptions } from './watcher-options.ts';
import { watcherChecks } from './watcher-readiness.ts';

export interface RunningWatcher {
  /** Lets the Lease go and ends everything. May be called again. */
  stop(): Promise<void>;
}

/** Pause before the cluster's uid is asked for again, in milliseconds. */
const RETRY_MS = 1000;

/**
 * Starts a watcher: it turns changes of Machines, MachineSets, MachineClasses, Clusters and Nodes into signals to their workflows, and decides
 * nothing. Resolves once it runs, which does not wait for the API server or Temporal: those may come, go and come back.
 * Rejects where the options or the kubeconfig cannot work.
 */
export async function runWatcher(options: WatcherOptions, clock: Clock): Promise<RunningWatcher> {
  const defaulted = defaultWatcherOptions(options);
  const log = createLogger('watcher', defaulted.logLevel);
  const config = loadKubeConfig(defaulted);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const watcher = new Watcher(defaulted, {
    kube: createKubeClient(config, { clock }),
    watch: new ReportingWatch(config),
    connection: connectLazily(defaulted.temporal),
    clock,
    tracing: await startTracing('millwright-watcher', log),
    registry,
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
  /** Where its metrics go, beside those of its process. */
  readonly registry: Registry;
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
  readonly #outages: ApiOutages;
  readonly #view: ClusterView;
  readonly #link: TemporalLink;
  readonly #lease: HeldLease;
  readonly #waker: Waker;
  readonly #upkeep: Upkeep;
  readonly #servers: Server[] = [];
  #stopping: Promise<void> | undefined;

  constructor(
    options: DefaultedWatcherOptions,
    { kube, watch, connection, clock, tracing, registry, log }: WatcherParts,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#tracing = tracing;
    this.#outages = new ApiOutages({
      onNews: () => {
        if (this.#lease.state === 'held') this.#waker.wakeNow('safety');
      },
      clock,
    });
    this.#kube = tellingReads(kube, this.#outages, clock);
    this.#view = new ClusterView({
      watch: tellingWatch(watch, this.#outages, clock),
      kube: this.#kube,
      apis: APIS,
      namespace: options.namespace,
      watchRetryMostMs: options.watchRetryMostMs,
      onWakes: (wakes) => this.#waker.wakeAll(wakes),
      onMachine: (change) => this.#metrics.onMachine(change),
      onListed: () => this.#waker.requestSweep('objects were listed'),
      clock,
      log,
    });
    this.#metrics = new WatcherMetrics({
      registry,
      index: this.#view.index,
      apis: APIS,
      temporalNamespace: options.temporal.namespace,
      checks: () => this.#checks(),
      isActive: () => this.#lease.state === 'held',
      pendingSignals: () => this.#waker.pending,
      clock,
    });
    this.#link = new TemporalLink({
      temporal: options.temporal,
      connection,
      interceptors: { workflow: [this.#metrics.temporalCalls, logSignals(log), ...tracing.client] },
      timeoutMs: options.temporalTimeoutMs,
      pollMs: options.namespacePollMs,
      prepare: () => this.#prepareNamespace(),
      onUp: () => this.#waker.resume(),
      onDown: () => this.#waker.hold(),
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
      onHeld: (unheldMs = 0) => {
        this.#outages.unwatched(unheldMs);
        this.#outages.tellAll();
        this.#waker.requestSweep('this watcher became active');
      },
      onLost: () => this.#waker.standBy(),
      clock,
      log,
    });
    this.#waker = new Waker({
      index: this.#view.index,
      isSynced: () => this.#view.isSynced,
      isHeld: () => this.#lease.state === 'held',
      pace: options,
      clock,
      log,
    });
    this.#upkeep = new Upkeep({
      inventoryCheckMs: options.inventoryCheckMs,
      slowSweepMs: options.slowSweepSeconds * 1000,
      perSecond: options.sweepPerSecond,
      isActive: () => this.#waker.isActive,
      ensureClusterWorkflows: () => this.#waker.wakeClusterWorkflows(),
      refs: () => this.#view.index.refs(),
      ensure: (ref) => this.#waker.ensure(ref),
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
      isClusterKnown: this.#waker.isClusterKnown,
      view: this.#view,
      lease: this.#lease,
      link: this.#link,
    });
  }

  async #stopAll(): Promise<void> {
    this.#log.info('watcher ends');
    this.#upkeep.stop();
    this.#waker.stop();
    this.#outages.stop();
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
        this.#log.info({ clusterUid }, 'the cluster is known');
        const parts = { link: this.#link, index: this.#view.index, outages: this.#outages };
        this.#waker.sendBy(new WakeSender({ ...parts, clusterUid, taskQueue }));
        return;
      } catch (error) {
        this.#log.warn({ error: String(error) }, `could not read the uid of kube-system; next try in ${RETRY_MS} ms`);
        await delay(this.#clock, RETRY_MS);
      }
    }
  }

  async #prepareNamespace(): Promise<void> {
    this.#waker.forgetSweep();
    this.#outages.tellAll();
    const { namespace } = this.#options.temporal;
    await registerSearchAttributes(this.#link.connection, namespace, { clock: this.#clock });
  }
}
