import type { Client } from '@temporalio/client';
import type { ActivityDeps } from '../activities/deps.ts';
import { createEventRecorder } from '../activities/events.ts';
import { APIS } from '../k8s/dialects/registry.ts';
import { workflowIdOf } from '../workflows/ids.ts';
import { inspectSignal, recountSignal } from '../workflows/signals.ts';
import { createActivities } from './activities.ts';
import { createListOutages } from './list-outages.ts';
import { createObjectWorkflows } from './object-workflows.ts';
import { signalIfRunning } from './signal-if-running.ts';

/** What a worker's activities act through; the rest follows from it. */
export interface ActivityParts extends Omit<ActivityDeps, 'apis' | 'events'> {
  /** Seconds between two inventories. */
  readonly inventoryIntervalSeconds: number;
  /** The worker's. */
  readonly taskQueue: string;
}

/** The activities of a worker that reaches Temporal through this client. */
export function wireActivities(client: Client, parts: ActivityParts): ReturnType<typeof createActivities> {
  const { kube, clock, log, clusterUid, taskQueue } = parts;
  return createActivities({
    ...parts,
    apis: APIS,
    events: createEventRecorder(kube, clock, log),
    inspect: (ref) => signalIfRunning(client, workflowIdOf(ref), inspectSignal),
    recount: (ref) => signalIfRunning(client, workflowIdOf(ref), recountSignal),
    workflows: createObjectWorkflows(client, { clusterUid, taskQueue }),
    listOutages: createListOutages(client, clusterUid),
  });
}
