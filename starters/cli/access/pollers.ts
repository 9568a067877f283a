import type { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';

/** Who asked a task queue for work. */
export interface Poller {
  /** `<pid>@<host>` of a worker. */
  readonly identity: string;
  /** When it last did, by Temporal's clock, in milliseconds since the epoch. */
  readonly lastPollAt: number;
}

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;
const TYPES = { workflow: TASK_QUEUE_TYPE_WORKFLOW, activity: TASK_QUEUE_TYPE_ACTIVITY } as const;

/** The pollers of a task queue that Temporal remembers: of the last five minutes, the newest first. */
export async function readPollers(
  connection: Connection,
  namespace: string,
  taskQueue: string,
  type: keyof typeof TYPES,
): Promise<Poller[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TYPES[type],
  });
  return (pollers ?? [])
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastPollAt: millisecondsOf(lastAccessTime, 0),
    }))
    .sort((a, b) => b.lastPollAt - a.lastPollAt);
}

/** A moment as Temporal tells it, in milliseconds since the epoch; `fallback` where it tells none. */
export function millisecondsOf(time: proto.google.protobuf.ITimestamp | null | undefined, fallback: number): number {
  if (!time) return fallback;
  return Number(String(time.seconds ?? 0)) * 1000 + Math.floor((time.nanos ?? 0) / 1e6);
}
