import { Client, isGrpcServiceError, WorkflowNotFoundError, type Connection } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { tuningOf } from '../../../workers/tuning.ts';
import { SdkWorker } from '../../simulation/core/sdk-worker.ts';
import { NAMESPACE, type WorkflowRuntime } from '../../simulation/core/workflow-runtime.ts';
import { SimulatedProcess } from '../../simulation/process.ts';
import { realHistory } from '../../simulation/real-history.ts';
import { connectTo } from '../../simulation/temporal/client-connection.ts';
import { TemporalServer } from '../../simulation/temporal/server.ts';
import { NotFound } from '../../simulation/temporal/tasks.ts';
import { Agenda } from '../../simulation/time/agenda.ts';
import { Random } from '../../simulation/time/random.ts';
import { ScriptActivities } from './script-activities.ts';

export type RealEvents = readonly temporal.api.history.v1.IHistoryEvent[];

/** A Temporal with a worker, the simulated or the real one: what a program is played to. */
export interface Side {
  readonly client: Client;
  readonly activities: ScriptActivities;
  /** Between two looks at what goes on, in milliseconds. */
  readonly lookMs: number;
  pause(ms: number): Promise<void>;
  /** Of a run, or of the newest one. Undefined: there is none. */
  history(workflowId: string, runId?: string): Promise<RealEvents | undefined>;
  terminate(workflowId: string): Promise<void>;
}

export const TASK_QUEUE = 'conformance';
/** As gRPC counts. */
const NOT_FOUND = 5;
const START = Date.parse('2026-01-01T00:00:00Z');

/** A simulated one of its own for one program. */
export function simulatedSide(seed: string, runtime: WorkflowRuntime): Side {
  const agenda = new Agenda(START);
  const random = new Random(seed);
  const server = new TemporalServer({ agenda, random, stickyMs: 3000, longHistory: 4096, listLagMs: 0 });
  const network = { call: async <T>(_from: unknown, _what: string, carryOut: () => T | Promise<T>) => carryOut() };
  const process = new SimulatedProcess({ name: 'worker', agenda, random, network });
  const activities = new ScriptActivities((ms) => agenda.pause(ms));
  // It takes tasks from now on.
  void new SdkWorker({
    process,
    agenda,
    server,
    runtime,
    activities: activities.functions,
    // The history tells of it.
    onBroken: () => {},
  });
  return {
    client: new Client({ connection: connectTo(server, process), namespace: NAMESPACE }),
    activities,
    lookMs: 10,
    pause: async (ms) => void (await agenda.runUntil(agenda.now + ms)),
    async history(workflowId, runId) {
      const run = runId === undefined ? server.newest(workflowId) : server.runs.get(runId);
      return run && realHistory(run.history, run.identity).events;
    },
    async terminate(workflowId) {
      try {
        server.terminate(workflowId);
      } catch (error) {
        throw error instanceof NotFound ? new WorkflowNotFoundError(error.message, workflowId, undefined) : error;
      }
    },
  };
}

export interface RealTemporal {
  readonly connection: Connection;
  readonly native: NativeConnection;
  readonly namespace: string;
  readonly codePath: string;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** The real one, with one worker for all programs. */
export async function realSide(real: RealTemporal): Promise<Side & { stop(): Promise<void> }> {
  const { connection, native, namespace, codePath } = real;
  const activities = new ScriptActivities(pause);
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: { codePath },
    activities: activities.functions,
    ...tuningOf('all'),
  });
  const running = worker.run();
  const client = new Client({ connection, namespace });
  return {
    client,
    activities,
    lookMs: 100,
    pause,
    async history(workflowId, runId) {
      const history = await client.workflow
        .getHandle(workflowId, runId)
        .fetchHistory()
        .catch((error: unknown) => {
          const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
          if (code === NOT_FOUND) return undefined;
          throw error;
        });
      return history?.events ?? undefined;
    },
    terminate: async (workflowId) => void (await client.workflow.getHandle(workflowId).terminate('by hand')),
    async stop() {
      worker.shutdown();
      activities.end();
      await running;
    },
  };
}
