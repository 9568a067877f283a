import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createKubeClient } from '../k8s/http-client.ts';
import { readClusterUid } from '../k8s/cluster.ts';
import { loadKubeConfig } from '../k8s/kube-config.ts';
import { systemClock } from '../providers/clock.ts';
import { serveHealth } from '../process/health.ts';
import { createLogger } from '../process/logging.ts';
import { serveProfiling } from '../process/profiling.ts';
import { endOnSignal } from '../process/shutdown.ts';
import { describeTemporalFailure } from '../process/temporal-failure.ts';
import { outliveStrayRejections } from '../process/stray-rejections.ts';
import { startTracing } from '../process/tracing.ts';
import { connectWorker } from './connect-worker.ts';
import { createProviders } from './create-providers.ts';
import { createWorker, type WorkerParts } from './create-worker.ts';
import { defaultWorkerOptions, type DefaultedWorkerOptions, type WorkerOptions } from './options.ts';
import { SdkRuntime } from './sdk-runtime.ts';
import { RETRY_MS, untilDone } from './until-done.ts';
import { createWorkerMetrics } from './worker-metrics.ts';
import { WorkerReadiness } from './worker-readiness.ts';
import { loadWorkflowBundle } from './workflow-bundle.ts';
import { runWorkflowsLean } from './workflow-threads.ts';

/** Runs a worker until the process is told to end (SIGINT, SIGTERM). Waits for Temporal for as long as it is away. */
export async function runWorker(given: WorkerOptions): Promise<void> {
  const options = defaultWorkerOptions(given);
  const { role, healthHost, healthPort, profilingPort } = options;
  const log = createLogger('worker', options.logLevel);
  outliveStrayRejections(log);
  const life = new WorkerLife(options, log);

  const readiness = new WorkerReadiness(role, systemClock);
  const metrics = createWorkerMetrics(() => readiness.checks());
  const sdk = new SdkRuntime(log, healthPort !== undefined);
  const tracing = await startTracing('millwright-worker', log);
  const health =
    healthPort === undefined
      ? undefined
      : await serveHealth({
          host: healthHost,
          port: healthPort,
          checks: () => readiness.checks(),
          metrics: async () => `${await metrics.registry.metrics()}\n${await sdk.metrics()}`,
          log,
        });
  const profiling = profilingPort === undefined ? undefined : await serveProfiling(profilingPort, log);

  if (!options.debugWorkflows) runWorkflowsLean();
  const kube = createKubeClient(loadKubeConfig(options), { clock: systemClock });
  const parts: WorkerParts = {
    kube,
    clusterUid: await untilDone(() => readClusterUid(kube), log, 'read the uid of kube-system'),
    clock: systemClock,
    providers: createProviders(options, kube, systemClock, metrics),
    workflowBundle: role === 'activities' ? undefined : await loadWorkflowBundle(),
    tracing,
    log,
  };
  while (!life.isEnding) await runOnce(options, parts, sdk, readiness, life);

  await tracing.end();
  health?.close();
  profiling?.close();
  life.ended();
  log.info('worker has ended');
}

/** Until it is told to end, or Temporal's namespace is gone. */
async function runOnce(
  options: DefaultedWorkerOptions,
  parts: WorkerParts,
  sdk: SdkRuntime,
  readiness: WorkerReadiness,
  life: WorkerLife,
): Promise<void> {
  const { log, clusterUid } = parts;
  const { temporal, role } = options;
  const connect = async () => {
    await sdk.ensure();
    return connectWorker(temporal);
  };
  const connection = await untilDone(connect, log, `connect to Temporal at ${temporal.address}`);
  try {
    const worker = await createWorker(connection, options, parts);
    readiness.follow(worker, connection);
    life.worker = worker;
    log.info({ clusterUid, role, taskQueue: worker.options.taskQueue }, 'worker is ready');
    await worker.run();
  } catch (error) {
    // A namespace that is missing (a lost database) comes back with the server: keep trying.
    log.error({ error: describeTemporalFailure(error) }, `worker stopped; next try in ${RETRY_MS} ms`);
    if (!life.isEnding) await delay(RETRY_MS);
  } finally {
    readiness.unfollow();
    await connection.close().catch((error: unknown) => log.warn({ error: String(error) }, 'connection did not close'));
  }
}

/** Whether the process is to end, and which worker has to be told. */
class WorkerLife {
  worker: Worker | undefined;
  isEnding = false;
  /** All has ended by itself. */
  readonly ended: () => void;

  constructor({ shutdownGraceSeconds, shutdownForceSeconds }: DefaultedWorkerOptions, log: Logger) {
    this.ended = endOnSignal({
      graceSeconds: shutdownGraceSeconds,
      forceSeconds: shutdownForceSeconds,
      onStop: () => this.#end(),
      describeRest: () => this.#rest(),
      log,
    });
  }

  #end(): void {
    this.isEnding = true;
    const state = this.worker?.getState();
    if (state === 'RUNNING') this.worker?.shutdown();
    // Between two workers nothing runs that would have to be ended with care.
    if (state === undefined || state === 'STOPPED' || state === 'FAILED') process.exit(0);
  }

  #rest(): object {
    const status = this.worker?.getStatus();
    if (status === undefined) return {};
    return {
      state: status.runState,
      runningActivities: status.numInFlightNonLocalActivities,
      runningLocalActivities: status.numInFlightLocalActivities,
      runningWorkflowTasks: status.numInFlightWorkflowActivations,
    };
  }
}
