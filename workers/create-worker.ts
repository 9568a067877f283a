import { APIS } from '../k8s/dialects/registry.ts';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import { Worker, type NativeConnection, type WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createEventRecorder } from '../activities/events.ts';
import type { KubeClient } from '../k8s/client.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Clock } from '../providers/clock.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { taskQueueOf, workflowIdOf } from '../workflows/ids.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../workflows/machine/settings.ts';
import { inspectSignal, recountSignal } from '../workflows/signals.ts';
import type { Tracing } from '../process/tracing.ts';
import { createActivities } from './activities.ts';
import { createObjectWorkflows } from './object-workflows.ts';
import type { DefaultedWorkerOptions } from './options.ts';
import { tuningOf } from './tuning.ts';
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
  const activities = createActivities({
    kube,
    apis: APIS,
    clusterUid,
    clusterNames: options.clusterNames,
    clock,
    log,
    providers,
    settings: { ...DEFAULT_MACHINE_SETTINGS, ...options.settings },
    events: createEventRecorder(kube, clock, log),
    inventoryIntervalSeconds: options.inventoryIntervalSeconds,
    inspect: (ref) => signal(client, ref, inspectSignal),
    recount: (ref) => signal(client, ref, recountSignal),
    workflows: createObjectWorkflows(client, { clusterUid, taskQueue }),
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

async function signal(client: Client, ref: ObjectRef, what: SignalDefinition): Promise<void> {
  try {
    await client.workflow.getHandle(workflowIdOf(ref)).signal(what);
  } catch (error) {
    // It has not started or has ended: nobody to tell.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
