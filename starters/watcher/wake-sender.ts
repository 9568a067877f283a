import { WorkflowNotFoundError } from '@temporalio/client';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { lookAtRun } from '../../process/workflow-run.ts';
import { inventoryWorkflowId, safetyWorkflowId, taskQueueOf, workflowIdOf } from '../../workflows/ids.ts';
import type { Outage } from '../../workflows/machine-health-check/health-activities.ts';
import { apiServerAwaySignal } from '../../workflows/safety/messages.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { workflowStartOf, type StartedObject } from '../../workflows/workflow-start.ts';
import type { ApiOutage, ApiOutages } from './api-outages.ts';
import type { ObjectFacts, ObjectIndex } from './object-index.ts';
import type { TemporalLink } from './temporal-link.ts';
import { given } from '../../providers/given.ts';

/** A workflow of which a cluster has one. */
export type ClusterWorkflow = 'inventory' | 'safety';

/** What is sent: a wake; or the start of one of the cluster's own workflows, which is left alone where it runs, but for its news. */
export type SendTarget = ObjectRef | ClusterWorkflow;

export interface WakeSenderOptions {
  readonly link: TemporalLink;
  readonly index: ObjectIndex;
  /** News for the safety workflow. */
  readonly outages: Pick<ApiOutages, 'untold' | 'noteTold'>;
  /** uid of kube-system. */
  readonly clusterUid: string;
  /** @default the cluster's own */
  readonly taskQueue: string | undefined;
}

/** How the cluster's own workflows are started. */
const CLUSTER_WORKFLOWS = {
  inventory: {
    idOf: inventoryWorkflowId,
    name: 'Inventory',
    details:
      'Compares, every few minutes, what the cloud runs with what is on record, and wakes the machines that differ.',
  },
  safety: {
    idOf: safetyWorkflowId,
    name: 'Safety',
    details:
      'Remembers when the API server was away: that time counts against no machine, and nothing is remediated in it or right after it.',
  },
} as const;

/** Sends signals. What is sent is decided when it is sent, by what is known of the object then. */
export class WakeSender {
  readonly #options: WakeSenderOptions;
  readonly #taskQueue: string;

  constructor(options: WakeSenderOptions) {
    this.#options = options;
    this.#taskQueue = options.taskQueue ?? taskQueueOf(options.clusterUid);
  }

  /** What two sends have in common of which one is enough. */
  keyOf(target: SendTarget): string {
    return typeof target === 'string' ? CLUSTER_WORKFLOWS[target].idOf(this.#options.clusterUid) : workflowIdOf(target);
  }

  send(target: SendTarget): Promise<void> {
    if (target === 'safety') return this.#tellSafety();
    return target === 'inventory' ? this.#start(target) : this.#signal(target);
  }

  /** Starts the workflow of an object that has none, and leaves one that runs alone. True where it was started. */
  async ensure(ref: ObjectRef): Promise<boolean> {
    const { link, index } = this.#options;
    if (index.find(ref) === undefined) return false;
    const { state } = await link.call(() => lookAtRun(link.client.workflow, workflowIdOf(ref)));
    if (state === 'running') return false;
    await this.#signal(ref);
    return true;
  }

  async #signal(ref: ObjectRef): Promise<void> {
    const { link, index, clusterUid } = this.#options;
    const workflowId = workflowIdOf(ref);
    const facts = index.find(ref);
    if (facts === undefined) return this.#signalRunning(workflowId);
    const { type, ...start } = workflowStartOf(startedObjectOf(facts), { clusterUid, taskQueue: this.#taskQueue });
    await link.call(() =>
      link.client.workflow.signalWithStart(type, { ...start, signal: changedSignal, signalArgs: [] }),
    );
    return undefined;
  }

  /** The object is gone: its workflow learns of it where it runs, and is not started where it has ended. */
  async #signalRunning(workflowId: string): Promise<void> {
    const { link } = this.#options;
    try {
      await link.call(() => link.client.workflow.getHandle(workflowId).signal(changedSignal));
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  async #start(type: ClusterWorkflow): Promise<void> {
    const { link } = this.#options;
    const start = { ...this.#startOf(type), workflowIdConflictPolicy: 'USE_EXISTING' } as const;
    await link.call(() => link.client.workflow.start(type, start));
  }

  /** One signal for each outage: what did not get through is sent again. */
  async #tellSafety(): Promise<void> {
    const { link, outages } = this.#options;
    const { untold } = outages;
    if (untold.length === 0) await this.#start('safety');
    for (const outage of untold) {
      const news = { signal: apiServerAwaySignal, signalArgs: [asTold(outage)] as [Outage] };
      await link.call(() => link.client.workflow.signalWithStart('safety', { ...this.#startOf('safety'), ...news }));
      outages.noteTold(outage);
    }
  }

  #startOf(type: ClusterWorkflow) {
    const { clusterUid } = this.#options;
    const { idOf, name, details } = CLUSTER_WORKFLOWS[type];
    return {
      workflowId: idOf(clusterUid),
      taskQueue: this.#taskQueue,
      args: [{ v: 1, clusterUid }],
      staticSummary: `${name} of cluster ${clusterUid}`,
      staticDetails: details,
    };
  }
}

function asTold({ from, until, unwatched }: ApiOutage): Outage {
  const iso = (at: number): string => new Date(at).toISOString();
  return { from: iso(from), ...given({ until: until === undefined ? undefined : iso(until), unwatched }) };
}

/** What the start of a workflow takes of the facts of its object. */
export function startedObjectOf(facts: ObjectFacts): StartedObject {
  const { role, ref, clusterName } = facts;
  if (role !== 'machine') return { ref, role, clusterName };
  const { controller, phase } = facts;
  return {
    ref,
    role,
    clusterName,
    ...given({ owner: controller?.name, phase }),
  };
}
