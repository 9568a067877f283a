import { Context } from '@temporalio/activity';
import { Client, type Workflow, type WorkflowHandle, type WorkflowResultType } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, type WorkerOptions, type WorkflowBundleOption } from '@temporalio/worker';
import { HEARTBEAT_INTERVAL } from '../../activities/heartbeat.ts';
import type { Role } from '../../k8s/dialects/kind.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { InventoryActivities } from '../../workflows/inventory/inventory-activities.ts';
import type { MachineTarget } from '../../workflows/machine/machine-activities.ts';
import { resolveServers } from '../../devstack/servers/resolve-servers.ts';
import { silentProgress } from '../../devstack/progress.ts';
import { temporalTestServer } from '../../devstack/servers/temporal-test-server.ts';
import { MACHINE_REASON, SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';
import { WorldClock } from '../world/world-clock.ts';
import { CLUSTER_UID, type ActivityPassage } from '../world/world.ts';
import type { machine } from '../../workflows/machine/machine.ts';
import type { inventory } from '../../workflows/inventory/inventory.ts';
import type { safety } from '../../workflows/safety/safety.ts';
import type { ObjectTarget } from '../../workflows/object-target.ts';
import { bundledWorkflows } from './bundled-workflows.ts';

export const CLUSTER = CLUSTER_UID;
const TASK_QUEUE = 'millwright-test';
/** Events of a history after which Temporal itself suggests to continue as new. */
const LONG_HISTORY = 4096;

/** Who carries out the activities on an object. */
interface Acting {
  readonly activities: object;
  readonly onActivity?: ActivityPassage;
}

/** A Temporal with a worker, whose activities act on worlds in memory, one world per object. */
export class Temporal {
  readonly env: TestWorkflowEnvironment;
  /** Unlike the environment's own it skips no time while it waits for a result: that would skip to the end of days. */
  readonly client: Client;
  readonly worlds = new Map<string, Acting>();
  readonly inventories = new Map<string, InventoryActivities>();
  /** Of the worlds: it goes by this Temporal's time. */
  readonly clock: WorldClock;
  private readonly workers: { stop(): Promise<void> }[] = [];
  private readonly started: string[] = [];

  private constructor(env: TestWorkflowEnvironment) {
    this.env = env;
    this.client = new Client({ connection: env.connection });
    this.clock = new WorldClock({ now: this.now, sleep: (ms) => env.sleep(ms) }, Date.now());
  }

  /**
   * Time passes as fast as the workflows let it, and only in {@link pass} and {@link until}. This server skips no time while
   * a task is out, and counts a task that met a termination or a signal as out for ever: so every test has a server of its
   * own, and {@link signal} and {@link endAll} let the workflow come to rest first.
   */
  static async skippingTime(): Promise<Temporal> {
    Temporal.quieten();
    const path = await temporalTestServer();
    const env = await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path } },
    });
    await env.connection.operatorService.addSearchAttributes({
      namespace: env.namespace ?? 'default',
      searchAttributes: Object.fromEntries(
        SEARCH_ATTRIBUTES.map(({ name }) => [
          name,
          proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
        ]),
      ),
    });
    return Temporal.over(env);
  }

  /** A Temporal dev server, in real time. */
  static async inRealTime(): Promise<Temporal> {
    return Temporal.suggestingContinueAsNewAfter(LONG_HISTORY);
  }

  /** A Temporal dev server, in real time, that suggests to continue as new after this many events. */
  static async suggestingContinueAsNewAfter(events: number): Promise<Temporal> {
    const settings = ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${events}`];
    return Temporal.over(await Temporal.realTimeEnvironment(settings));
  }

  /** A Temporal dev server, in real time, where no worker takes recorded activities before {@link takeActivities}. */
  static async withoutActivities(): Promise<Temporal> {
    return Temporal.over(await Temporal.realTimeEnvironment([]), false);
  }

  private static async realTimeEnvironment(extraArgs: string[]): Promise<TestWorkflowEnvironment> {
    Temporal.quieten();
    const servers = await resolveServers(['temporal'], silentProgress, AbortSignal.timeout(600_000));
    return TestWorkflowEnvironment.createLocal({
      server: {
        executable: { type: 'existing-path', path: servers.get('temporal')?.path ?? '' },
        searchAttributes: [...SEARCH_ATTRIBUTES],
        extraArgs,
      },
    });
  }

  private static quieten(): void {
    try {
      Runtime.install({ logger: new DefaultLogger('ERROR') });
    } catch {
      // Installed by an earlier one of this process.
    }
  }

  private static async over(env: TestWorkflowEnvironment, takesActivities = true): Promise<Temporal> {
    const temporal = new Temporal(env);
    const workflowBundle: WorkflowBundleOption = await bundledWorkflows();
    await temporal.addWorker({ workflowBundle, enableNonLocalActivities: takesActivities });
    return temporal;
  }

  /** Has the recorded activities done, where no worker took them so far, until it is stopped. */
  takeActivities(): Promise<{ stop(): Promise<void> }> {
    return this.addWorker({});
  }

  /**
   * Has all workers replaced by one that runs the workflows of this bundle, as by those of another release. It keeps no workflow
   * in memory, and replays each from its beginning with each task: this server goes on waiting for a worker that had one and is gone.
   */
  async release(workflowBundle: WorkflowBundleOption): Promise<void> {
    for (const workflowId of this.started) await this.atRest(this.client.workflow.getHandle(workflowId));
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop()));
    await this.addWorker({ workflowBundle, maxCachedWorkflows: 0 });
  }

  private async addWorker(options: Partial<WorkerOptions>): Promise<{ stop(): Promise<void> }> {
    const worker = await Worker.create({
      connection: this.env.nativeConnection,
      taskQueue: TASK_QUEUE,
      maxHeartbeatThrottleInterval: HEARTBEAT_INTERVAL,
      activities: routedActivities(() => this),
      ...options,
    });
    const running = worker.run();
    const stop = async (): Promise<void> => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    };
    this.workers.push({ stop });
    return { stop };
  }

  readonly now = (): Promise<number> => this.env.currentTimeMs();

  async startMachine(world: Acting & Pick<MachineTarget, 'ref'>, { reason }: { reason?: string } = {}) {
    const { ref } = world;
    this.worlds.set(ref.uid, world);
    return this.keep(
      await this.client.workflow.start<typeof machine>('machine', {
        workflowId: `machine/${ref.name}`,
        taskQueue: TASK_QUEUE,
        args: [{ v: 1, ref, clusterUid: CLUSTER }],
        ...(reason === undefined ? {} : { typedSearchAttributes: [{ key: MACHINE_REASON, value: reason }] }),
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

  async startInventory(clusterUid: string, activities: InventoryActivities) {
    this.inventories.set(clusterUid, activities);
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
    this.started.push(handle.workflowId);
    return handle;
  }

  /** Lets this many seconds go by. */
  async pass(seconds: number): Promise<void> {
    await this.env.sleep(seconds * 1000);
    await this.clock.follow();
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
    await this.atRest(handle);
    await handle.signal(signal, ...args);
  }

  /** Terminates every workflow that the test started. */
  async endAll(): Promise<void> {
    for (const workflowId of this.started.splice(0)) {
      const handle = this.client.workflow.getHandle(workflowId);
      await this.atRest(handle);
      await handle.terminate('the test is over').catch(() => undefined);
    }
  }

  /** Until the workflow has neither a task nor an activity out. Takes real time only, and five seconds at most. */
  private async atRest(handle: WorkflowHandle): Promise<void> {
    const deadline = Date.now() + 5000;
    while (Date.now() < deadline) {
      const { events } = await handle.fetchHistory();
      if (!hasTaskOut(events ?? [])) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.clock.stop();
    await this.env.teardown();
  }
}

/** Every task and activity that is out has been scheduled and has not come to an end. */
function hasTaskOut(events: readonly temporal.api.history.v1.IHistoryEvent[]): boolean {
  const out = new Set<string>();
  for (const event of events) {
    if (event.workflowTaskScheduledEventAttributes || event.activityTaskScheduledEventAttributes) {
      out.add(String(event.eventId));
    }
    const ended =
      event.workflowTaskCompletedEventAttributes ??
      event.workflowTaskFailedEventAttributes ??
      event.workflowTaskTimedOutEventAttributes ??
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (ended) out.delete(String(ended.scheduledEventId));
  }
  return out.size > 0;
}

/** Activities that pass each call on to the world of the object it is about. */
function routedActivities(temporal: () => Temporal): Record<string, (request: never) => Promise<unknown>> {
  return {
    /** Whatever has no name here. */
    async default(request: ObjectTarget): Promise<unknown> {
      const { activityType, isLocal } = Context.current().info;
      const world = temporal().worlds.get(request.ref.uid);
      const activities = world?.activities as unknown as Record<string, (r: ObjectTarget) => Promise<unknown>>;
      const run = async () => activities[activityType]?.(request);
      // What happens while a workflow task is open, as with a local activity, this server does not cope with.
      const pace = { takesSourceAlong: !isLocal };
      return temporal().clock.during(pace, () => world?.onActivity?.(activityType, run) ?? run());
    },
    fixTime: async () => {},
    putOnRecord: async () => {},
    takeInventory: async (request: { clusterUid: string }) =>
      temporal().inventories.get(request.clusterUid)?.takeInventory(request),
  };
}
