import { Context } from '@temporalio/activity';
import type { Client, Workflow, WorkflowHandle, WorkflowResultType } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundleOption } from '@temporalio/worker';
import type { Role } from '../../k8s/dialects/kind.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { InventoryActivities } from '../../workflows/inventory/inventory-activities.ts';
import type { inventory } from '../../workflows/inventory/inventory.ts';
import type { machine } from '../../workflows/machine/machine.ts';
import type { MachineTarget } from '../../workflows/machine/machine-activities.ts';
import type { ObjectTarget } from '../../workflows/object-target.ts';
import type { safety } from '../../workflows/safety/safety.ts';
import { MACHINE_REASON } from '../../workflows/search-attributes.ts';
import type { Activities } from '../simulation/core/run-activity.ts';
import type { WorldClock } from '../world/world-clock.ts';
import { CLUSTER_UID, type ActivityPassage } from '../world/world.ts';
import { TASK_QUEUE, type Engine, type Work } from './engine.ts';
import { ServerEngine } from './server-engine.ts';
import { VirtualEngine } from './virtual-engine.ts';
import { given } from '../../providers/given.ts';

export const CLUSTER = CLUSTER_UID;

/** Who carries out the activities on an object. */
interface Acting<Activities extends object = object> {
  readonly activities: Activities;
  readonly onActivity?: ActivityPassage;
}

/** A Temporal with a worker, whose activities act on worlds in memory, one world per object. */
export class Temporal {
  readonly client: Client;
  readonly worlds = new Map<string, Acting>();
  /** Whose inventory is taken, by the cluster's uid. */
  readonly inventories = new Map<string, Acting<InventoryActivities>>();
  /** Of the worlds: it goes by this Temporal's time. */
  readonly clock: WorldClock;
  readonly #engine: Engine;
  readonly #activities: Activities;
  readonly #workers: { stop(): Promise<void> }[] = [];
  readonly #started: string[] = [];

  private constructor(engine: Engine) {
    this.#engine = engine;
    this.client = engine.client;
    this.clock = engine.clock;
    this.#activities = routedActivities(this);
  }

  /** The simulation's, in virtual time: hours pass in milliseconds, and only in {@link pass} and {@link until}. */
  static async inVirtualTime(): Promise<Temporal> {
    return Temporal.#over(await VirtualEngine.create());
  }

  /** Temporal's test server, which skips time: for what the SDK's own core has to be seen with. */
  static async skippingTime(): Promise<Temporal> {
    return Temporal.#over(await ServerEngine.skippingTime());
  }

  /** A Temporal dev server, in real time. */
  static async inRealTime(): Promise<Temporal> {
    return Temporal.#over(await ServerEngine.inRealTime());
  }

  /** A Temporal dev server, in real time, that suggests to continue as new after this many events. */
  static async suggestingContinueAsNewAfter(events: number): Promise<Temporal> {
    return Temporal.#over(await ServerEngine.inRealTime({ longHistory: events }));
  }

  /** A Temporal dev server, in real time, where no worker takes recorded activities before {@link takeActivities}. */
  static async withoutActivities(): Promise<Temporal> {
    return Temporal.#over(await ServerEngine.inRealTime(), false);
  }

  static async #over(engine: Engine, takesActivities = true): Promise<Temporal> {
    const temporal = new Temporal(engine);
    await temporal.#work({ takesActivities });
    return temporal;
  }

  /** Of a server that runs. */
  get env(): TestWorkflowEnvironment {
    if (!(this.#engine instanceof ServerEngine)) throw new Error('no server runs in virtual time');
    return this.#engine.env;
  }

  /** Has the recorded activities done, where no worker took them so far, until it is stopped. */
  takeActivities(): Promise<{ stop(): Promise<void> }> {
    return this.#work({ runsWorkflows: false });
  }

  /**
   * Has all workers replaced by one that runs the workflows of this bundle, as by those of another release. It keeps no workflow
   * in memory, and replays each from its beginning with each task.
   */
  async release(workflowBundle: WorkflowBundleOption): Promise<void> {
    for (const workflowId of this.#started) await this.#engine.comeToRest(this.client.workflow.getHandle(workflowId));
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
    await this.#work({ workflowBundle, keepsWorkflows: false });
  }

  /** For so many seconds no worker runs, as where all of them are restarted; those that come then know nothing but what is on record. */
  async withoutWorkers(seconds: number): Promise<void> {
    for (const workflowId of this.#started) await this.#engine.comeToRest(this.client.workflow.getHandle(workflowId));
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
    await this.pass(seconds);
    await this.#work({});
  }

  /** The workers die where they are, and others come at once: the task that is under way is lost, and what its short steps did is not. */
  async loseTask(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
    await this.#work({});
  }

  async #work(work: Omit<Work, 'activities'>): Promise<{ stop(): Promise<void> }> {
    const worker = await this.#engine.work({ ...work, activities: this.#activities });
    this.#workers.push(worker);
    return worker;
  }

  readonly now = (): Promise<number> => this.#engine.now();

  async startMachine(world: Acting & Pick<MachineTarget, 'ref'>, { reason }: { reason?: string } = {}) {
    const { ref } = world;
    this.worlds.set(ref.uid, world);
    return this.keep(
      await this.client.workflow.start<typeof machine>('machine', {
        workflowId: `machine/${ref.name}`,
        taskQueue: TASK_QUEUE,
        args: [{ v: 1, ref, clusterUid: CLUSTER }],
        ...given({
          typedSearchAttributes: reason === undefined ? undefined : [{ key: MACHINE_REASON, value: reason }],
        }),
      }),
    );
  }

  /** Starts the workflow of an object of any kind but a Machine. */
  async startObject(type: Exclude<Role, 'machine'>, acting: Acting, ref: ObjectRef) {
    this.worlds.set(ref.uid, acting);
    return this.keep(
      await this.client.workflow.start(type, {
        workflowId: `${type.toLowerCase()}/${ref.name}`,
        taskQueue: TASK_QUEUE,
        args: [{ v: 1, ref, clusterUid: CLUSTER }],
      }),
    );
  }

  async startInventory(world: Acting<InventoryActivities>) {
    const clusterUid = CLUSTER;
    this.inventories.set(clusterUid, world);
    return this.keep(
      await this.client.workflow.start<typeof inventory>('inventory', {
        workflowId: `inventory/${clusterUid}`,
        taskQueue: TASK_QUEUE,
        args: [{ v: 1, clusterUid }],
      }),
    );
  }

  async startSafety(clusterUid: string) {
    return this.keep(
      await this.client.workflow.start<typeof safety>('safety', {
        workflowId: `safety/${clusterUid}`,
        taskQueue: TASK_QUEUE,
        args: [{ v: 1, clusterUid }],
      }),
    );
  }

  /** Ended after the test. */
  private keep<T extends { readonly workflowId: string }>(handle: T): T {
    this.#started.push(handle.workflowId);
    return handle;
  }

  /** Lets this many seconds go by. */
  async pass(seconds: number): Promise<void> {
    await this.#engine.pass(seconds * 1000);
  }

  /** Lets time go by until it holds; fails when it does not within these seconds. */
  async until(holds: () => boolean, { within = 30, step = 1 } = {}): Promise<void> {
    for (let passed = 0; !holds(); passed += step) {
      if (passed > within) throw new Error(`still not so after ${within} s: ${holds.toString()}`);
      await this.pass(step);
    }
  }

  /** Lets time go by until the workflow has ended. */
  async resultOf<T extends Workflow>(handle: WorkflowHandle<T>, within = 3600): Promise<WorkflowResultType<T>> {
    const step = 5;
    for (let passed = 0; passed <= within; passed += step) {
      if ((await handle.describe()).status.name !== 'RUNNING') return handle.result();
      await this.pass(step);
    }
    throw new Error(`${handle.workflowId} still runs after ${within} s`);
  }

  /** Signals a workflow that waits. */
  async signal<Args extends unknown[] = []>(
    handle: WorkflowHandle,
    signal: SignalDefinition<Args> | string,
    ...args: Args
  ): Promise<void> {
    await this.#engine.comeToRest(handle);
    await handle.signal(signal, ...args);
  }

  /** Terminates every workflow that the test started. */
  async endAll(): Promise<void> {
    for (const workflowId of this.#started.splice(0)) {
      const handle = this.client.workflow.getHandle(workflowId);
      await this.#engine.comeToRest(handle);
      await handle.terminate('the test is over').catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.#engine.stop();
  }
}

/** Activities that pass each call on to the world of the object it is about. */
function routedActivities(temporal: Temporal): Activities {
  return {
    /** Whatever has no name here. */
    async default(request: ObjectTarget): Promise<unknown> {
      const { activityType } = Context.current().info;
      const world = temporal.worlds.get(request.ref.uid);
      const activities = world?.activities as unknown as Record<string, (r: ObjectTarget) => Promise<unknown>>;
      const run = async () => activities[activityType]?.(request);
      return world?.onActivity?.(activityType, run) ?? run();
    },
    fixTime: async () => {},
    putOnRecord: async () => {},
    async takeInventory(request: { readonly clusterUid: string }): Promise<unknown> {
      const world = temporal.inventories.get(request.clusterUid);
      const run = async () => world?.activities.takeInventory(request);
      return world?.onActivity?.('takeInventory', run) ?? run();
    },
  };
}
