import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { createEventRecorder } from '../activities/events.ts';
import { readSecret } from '../activities/secrets.ts';
import { createKubeClient, type KubeClient } from '../k8s/client.ts';
import { clusterUid } from '../k8s/cluster.ts';
import { loadKubeConfig } from '../k8s/kube-config.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { createAwsProvider } from '../providers/aws/aws-provider.ts';
import type { Provider } from '../providers/provider.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import type { SecretReader } from '../providers/secret-reader.ts';
import { createSimulatedProvider } from '../providers/simulated/simulated-provider.ts';
import { taskQueueOf, workflowIdOf } from '../workflows/ids.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../workflows/machine/settings.ts';
import { inspectSignal } from '../workflows/signals.ts';
import { createActivities } from './activities.ts';
import { serveHealth } from './health.ts';
import type { WorkerOptions } from './options.ts';
import { loadWorkflowBundle } from './workflow-bundle.ts';

/** Pause before Temporal is tried again, in milliseconds. */
const RETRY_MS = 2000;

/** Runs a worker until the process is told to end (SIGINT, SIGTERM). Waits for Temporal for as long as it is away. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  // The SDK logs what failed as `error`.
  const serializers = { error: pino.stdSerializers.err };
  const log = pino({ level: options.logLevel ?? 'info', base: { component: 'worker' }, serializers });
  let ready = false;
  const stopped = new AbortController();
  let worker: Worker | undefined;
  const stop = (): void => {
    stopped.abort();
    const state = worker?.getState();
    if (state === 'RUNNING') worker?.shutdown();
    // Between two workers nothing runs that would have to be ended with care.
    if (state === undefined || state === 'STOPPED' || state === 'FAILED') process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  Runtime.install({
    shutdownSignals: [],
    logger: {
      log: (level, message, meta) => log[pinoLevel(level)](meta ?? {}, message),
      trace: (message, meta) => log.trace(meta ?? {}, message),
      debug: (message, meta) => log.debug(meta ?? {}, message),
      info: (message, meta) => log.info(meta ?? {}, message),
      warn: (message, meta) => log.warn(meta ?? {}, message),
      error: (message, meta) => log.error(meta ?? {}, message),
    },
  });
  const health =
    options.healthPort === undefined
      ? undefined
      : await serveHealth(options.healthHost ?? '127.0.0.1', options.healthPort, () => ready);

  const kube = createKubeClient(loadKubeConfig(options));
  const cluster = await untilDone(() => clusterUid(kube), log, 'read the uid of kube-system');
  const workflowBundle = await loadWorkflowBundle();

  const providers = createProviderRegistry(createProviders(options, kube));
  while (!stopped.signal.aborted) {
    const connection = await untilDone(
      () => NativeConnection.connect({ address: options.temporalAddress }),
      log,
      `connect to Temporal at ${options.temporalAddress}`,
    );
    try {
      const client = new Client({ connection, namespace: options.temporalNamespace });
      worker = await Worker.create({
        connection,
        namespace: options.temporalNamespace,
        taskQueue: options.taskQueue ?? taskQueueOf(cluster),
        workflowBundle,
        activities: createActivities({
          kube,
          cluster,
          log,
          providers,
          settings: { ...DEFAULT_MACHINE_SETTINGS, ...options.settings },
          events: createEventRecorder(kube, log),
          inventoryIntervalSeconds: options.inventoryIntervalSeconds ?? 300,
          inspect: (ref: ObjectRef) => inspect(client, ref),
        }),
        shutdownGraceTime: `${options.shutdownGraceSeconds ?? 10}s`,
        maxCachedWorkflows: 2000,
        // They wait more than they work: for the API server, and for others to share a describe with.
        maxConcurrentLocalActivityExecutions: 1000,
      });
      ready = true;
      log.info({ cluster, taskQueue: worker.options.taskQueue }, 'worker is ready');
      await worker.run();
    } catch (error) {
      // A namespace that is missing (a lost database) comes back with the server: keep trying.
      log.error({ error: String(error) }, `worker stopped; next try in ${RETRY_MS} ms`);
      if (!stopped.signal.aborted) await delay(RETRY_MS);
    } finally {
      ready = false;
      await connection
        .close()
        .catch((error: unknown) => log.warn({ error: String(error) }, 'connection did not close'));
    }
  }
  health?.close();
  log.info('worker has ended');
}

/** EC2 needs nothing that a worker has to be told: its specs name their region and credentials. */
function createProviders({ simulatedEndpoint }: WorkerOptions, kube: KubeClient): Provider[] {
  const readSecretData: SecretReader = async (namespace, name) => (await readSecret(kube, namespace, name))?.data;
  const aws = createAwsProvider({ readSecret: readSecretData });
  if (simulatedEndpoint === undefined) return [aws];
  return [createSimulatedProvider({ endpoint: simulatedEndpoint, readSecret: readSecretData }), aws];
}

async function inspect(client: Client, ref: ObjectRef): Promise<void> {
  try {
    await client.workflow.getHandle(workflowIdOf(ref)).signal(inspectSignal);
  } catch (error) {
    // It has not started or has ended: nothing to inspect.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

async function untilDone<T>(
  attempt: () => Promise<T>,
  log: { warn(o: object, m: string): void },
  what: string,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      log.warn({ error: String(error) }, `could not ${what}; next try in ${RETRY_MS} ms`);
      await delay(RETRY_MS);
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function pinoLevel(level: string): 'trace' | 'debug' | 'info' | 'warn' | 'error' {
  switch (level) {
    case 'TRACE':
      return 'trace';
    case 'DEBUG':
      return 'debug';
    case 'WARN':
      return 'warn';
    case 'ERROR':
      return 'error';
    default:
      return 'info';
  }
}
