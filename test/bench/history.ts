import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import pLimit from 'p-limit';

const { EventType } = proto.temporal.api.enums.v1;
type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

const HISTORIES_AT_ONCE = 20;

/** What it took a machine's workflow to bring it to Running. */
export interface WayToRunning {
  /** Events up to, and with, the local activity that wrote the status of Running. */
  readonly events: number;
  /** Workflow tasks that were begun by then. */
  readonly tasks: number;
}

/** Reads something of each of many histories, a few at a time. */
export async function ofEach<T>(
  workflowIds: readonly string[],
  read: (workflowId: string) => Promise<T>,
): Promise<T[]> {
  const limit = pLimit(HISTORIES_AT_ONCE);
  return Promise.all(workflowIds.map((id) => limit(() => read(id))));
}

/** Events of a workflow's current run, and the workflow tasks that were begun in it. */
export async function countHistory(client: Client, workflowId: string): Promise<WayToRunning> {
  const events = await eventsOf(client, workflowId);
  return { events: events.length, tasks: events.filter(isTask).length };
}

/** The same, with how many passes there were: each begins with that local activity. */
export async function countPasses(client: Client, workflowId: string, first: string) {
  const events = await eventsOf(client, workflowId);
  const passes = events.filter((event) => localActivityOf(event) === first).length;
  return { events: events.length, tasks: events.filter(isTask).length, passes };
}

/** Workflow tasks that were ever begun in a workflow's current run. */
export async function countTasks(client: Client, workflowId: string): Promise<number> {
  return (await countHistory(client, workflowId)).tasks;
}

/** Activities, local ones apart, that a workflow's current run saw completed. */
export async function countActivities(client: Client, workflowId: string): Promise<number> {
  const events = await eventsOf(client, workflowId);
  return events.filter(({ eventType }) => eventType === EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED).length;
}

/** Counts the history up to the status write of Running. */
export async function wayToRunning(client: Client, workflowId: string): Promise<WayToRunning> {
  const events = await eventsOf(client, workflowId);
  const joined = events.findIndex((event) => localActivityOf(event) === 'joinNode' && resultOf(event) === 'joined');
  const written = events.findIndex((event, i) => i > joined && localActivityOf(event) === 'writeMachineStatus');
  if (joined === -1 || written === -1) throw new Error(`${workflowId} has written no status of Running`);
  const until = events.slice(0, written + 1);
  return { events: until.length, tasks: until.filter(isTask).length };
}

/** One line an event: for a test that fails. */
export async function outline(client: Client, workflowId: string): Promise<string> {
  const events = await eventsOf(client, workflowId);
  return events
    .map((event) => {
      const name = EventType[event.eventType ?? 0]?.replace('EVENT_TYPE_', '') ?? '?';
      const activity = localActivityOf(event) ?? event.activityTaskScheduledEventAttributes?.activityType?.name ?? '';
      return `${String(event.eventId)} ${name} ${activity}`.trimEnd();
    })
    .join('\n');
}

async function eventsOf(client: Client, workflowId: string): Promise<readonly HistoryEvent[]> {
  return (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}

function isTask({ eventType }: HistoryEvent): boolean {
  return eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED;
}

function localActivityOf({ markerRecordedEventAttributes: marker }: HistoryEvent): string | undefined {
  if (marker?.markerName !== 'core_local_activity') return undefined;
  const data = firstPayload(marker, 'data') as { readonly activity_type?: string } | undefined;
  return data?.activity_type;
}

/** The `outcome` of what a local activity answered. */
function resultOf({ markerRecordedEventAttributes: marker }: HistoryEvent): string | undefined {
  const result = firstPayload(marker, 'result') as { readonly outcome?: string } | undefined;
  return result?.outcome;
}

function firstPayload(marker: HistoryEvent['markerRecordedEventAttributes'], key: string): unknown {
  const data = marker?.details?.[key]?.payloads?.[0]?.data;
  return data === undefined || data === null || data.length === 0
    ? undefined
    : JSON.parse(Buffer.from(data).toString());
}
