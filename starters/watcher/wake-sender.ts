import { WorkflowNotFoundError } from '@temporalio/client';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { lookAtRun } from '../../process/workflow-run.ts';
import { inventoryWorkflowId, taskQueueOf, workflowIdOf } from '../../workflows/ids.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { workflowStartOf, type StartedObject } from '../../workflows/workflow-start.ts';
import type { ObjectFacts, ObjectIndex } from './object-index.ts';
import type { TemporalLink } from './temporal-link.ts';
import { given } from '../../providers/given.ts';

/** What is sent: a wake, or the start of the cluster's inventory, which is left alone where it runs. */
export type SendTarget = ObjectRef | 'inventory';

export interface WakeSenderOptions {
  readonly link: TemporalLink;
  readonly index: ObjectIndex;
  /** uid of kube-system. */
  readonly clusterUid: string;
  /** @default the cluster's own */
  readonly taskQueue: string | undefined;
}

const INVENTORY_DETAILS =
  'Compares, every few minutes, what the cloud runs with what is on record, and wakes the machines that differ.';

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
    return target === 'inventory' ? inventoryWorkflowId(this.#options.clusterUid) : workflowIdOf(target);
  }

  send(target: SendTarget): Promise<void> {
    return target === 'inventory' ? this.#startInventory() : this.#signal(target);
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

  async #startInventory(): Promise<void> {
    const { link, clusterUid } = this.#options;
    await link.call(() =>
      link.client.workflow.start('inventory', {
        workflowId: inventoryWorkflowId(clusterUid),
        taskQueue: this.#taskQueue,
        args: [{ v: 1, clusterUid }],
        staticSummary: `Inventory of cluster ${clusterUid}`,
        staticDetails: INVENTORY_DETAILS,
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    );
  }
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
