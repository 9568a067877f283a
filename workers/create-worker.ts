import { Client } from '@temporalio/client';
import { Worker, type NativeConnection, type WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { KubeClient } from '../k8s/client.ts';
import type { Clock } from '../providers/clock.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { taskQueueOf } from '../workflows/ids.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../workflows/machine/settings.ts';
import type { Tracing } from '../process/tracing.ts';
import type { DefaultedWorkerOptions } from './options.ts';
import { tuningOf } from './tuning.ts';
import { wireActivities } from './wire-activities.ts';
import { given } from '../providers/given.ts';

export interface WorkerParts {
  readonly kube: KubeClient;
  /** uid of kube-system. */
  readonly clusterUid: string;
  readonly providers: ProviderRegistry;
  readonly clock: Clock;
  /** undefined: the worker runs no workflows. */
  readonly workflowBundle: WorkflowBundleOption | undefined;
  readonly tracing: Tracing;
  readonly log: Logger;
}

/** A worker of the SDK, ready to run. Rejects where the Temporal namespace is not there. */
export function createWorker(
  connection: NativeConnection,
  options: DefaultedWorkerOptions,
  { kube, clusterUid, providers, clock, workflowBundle, tracing, log }: WorkerParts,
): Promise<Worker> {
  const { namespace } = options.temporal;
  const taskQueue = options.taskQueue ?? taskQueueOf(clusterUid);
  const client = new Client({ connection, namespace, interceptors: { workflow: tracing.client } });
  const { clusterNames, leaseNamespace, inventoryIntervalSeconds } = options;
  const settings = { ...DEFAULT_MACHINE_SETTINGS, ...options.settings };
  const activities = wireActivities(client, {
    kube,
    clusterUid,
    clusterNames,
    leaseNamespace,
    clock,
    log,
    providers,
    settings,
    inventoryIntervalSeconds,
    taskQueue,
  });
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    activities,
    ...given({ workflowBundle }),
    interceptors: { activity: tracing.activity },
    sinks: tracing.sinks,
    shutdownGraceTime: `${options.shutdownGraceSeconds}s`,
    ...tuningOf(options.role),
  });
}
