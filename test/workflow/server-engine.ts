import { Context } from '@temporalio/activity';
import { Client, type WorkflowHandle } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { HEARTBEAT_INTERVAL } from '../../activities/heartbeat.ts';
import { silentProgress } from '../../devstack/progress.ts';
import { resolveServers } from '../../devstack/servers/resolve-servers.ts';
import { temporalTestServer } from '../../devstack/servers/temporal-test-server.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';
import type { Activities } from '../simulation/core/run-activity.ts';
import { FollowingClock } from '../world/world-clock.ts';
import { given } from '../../providers/given.ts';
import { bundledWorkflows } from './bundled-workflows.ts';
import { TASK_QUEUE, type Engine, type Work } from './engine.ts';

/** Events of a history after which Temporal itself suggests to continue as new. */
const LONG_HISTORY = 4096;

/**
 * A server of Temporal and the SDK's own worker. The test server skips time, but none while a task is out, and it counts a task that met
 * a termination or a signal as out for ever: so every test has a server of its own, and a workflow comes to rest before it is told anything.
 */
export class ServerEngine implements Engine {
  readonly env: TestWorkflowEnvironment;
  /** Unlike the environment's own it skips no time while it waits for a result: that would skip to the end of days. */
  readonly client: Client;
  readonly clock: FollowingClock;

  private constructor(env: TestWorkflowEnvironment) {
    this.env = env;
    this.client = new Client({ connection: env.connection });
    this.clock = new FollowingClock({ now: this.now, sleep: (ms) => env.sleep(ms) }, Date.now());
  }

  static async skippingTime(): Promise<ServerEngine> {
    quieten();
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
    return new ServerEngine(env);
  }

  /** @param longHistory events after which it suggests to continue as new */
  static async inRealTime({ longHistory = LONG_HISTORY } = {}): Promise<ServerEngine> {
    quieten();
    const servers = await resolveServers(['temporal'], silentProgress, AbortSignal.timeout(600_000));
    const env = await TestWorkflowEnvironment.createLocal({
      server: {
        executable: { type: 'existing-path', path: servers.get('temporal')?.path ?? '' },
        searchAttributes: [...SEARCH_ATTRIBUTES],
        extraArgs: ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${longHistory}`],
      },
    });
    return new ServerEngine(env);
  }

  readonly now = (): Promise<number> => this.env.currentTimeMs();

  async pass(ms: number): Promise<void> {
    await this.env.sleep(ms);
    await this.clock.follow();
  }

  async work({
    activities,
    workflowBundle,
    runsWorkflows = true,
    takesActivities = true,
    keepsWorkflows = true,
  }: Work): Promise<{ stop(): Promise<void> }> {
    const worker = await Worker.create({
      connection: this.env.nativeConnection,
      taskQueue: TASK_QUEUE,
      maxHeartbeatThrottleInterval: HEARTBEAT_INTERVAL,
      activities: this.#inTime(activities),
      enableNonLocalActivities: takesActivities,
      ...given({
        workflowBundle: runsWorkflows ? (workflowBundle ?? (await bundledWorkflows())) : undefined,
        maxCachedWorkflows: keepsWorkflows ? undefined : 0,
      }),
    });
    const running = worker.run();
    return {
      stop: async () => {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
      },
    };
  }

  /** Takes real time only, and five seconds at most. */
  async comeToRest(handle: WorkflowHandle): Promise<void> {
    const deadline = Date.now() + 5000;
    while (Date.now() < deadline) {
      const { events } = await handle.fetchHistory();
      if (!hasTaskOut(events ?? [])) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async stop(): Promise<void> {
    await this.clock.stop();
    await this.env.teardown();
  }

  /** While they run, the timers of the world come due. */
  #inTime(activities: Activities): Activities {
    const entries = Object.entries(activities).map(([name, act]) => [
      name,
      (...args: never[]) => {
        // What happens while a workflow task is open, as with a local activity, this server does not cope with.
        const pace = { takesSourceAlong: !Context.current().info.isLocal };
        return this.clock.during(pace, () => act(...args));
      },
    ]);
    return Object.fromEntries(entries) as Activities;
  }
}

function quieten(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  } catch {
    // Installed by an earlier one of this process.
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
