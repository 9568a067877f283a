import type { temporal } from '@temporalio/proto';

type Event = temporal.api.history.v1.IHistoryEvent;

/** What a history spent until, and with, the first local activity of this name. */
export function spentUntil(events: readonly Event[], activity: string): { events: number; tasks: number } {
  const end = events.findIndex((e) => markerText(e).includes(`"activity_type":"${activity}"`));
  if (end === -1) throw new Error(`the history has no ${activity}`);
  const spent = events.slice(0, end + 1);
  return { events: spent.length, tasks: spent.filter((e) => e.workflowTaskScheduledEventAttributes != null).length };
}

function markerText(event: Event): string {
  return Object.values(event.markerRecordedEventAttributes?.details ?? {})
    .flatMap((d) => d.payloads ?? [])
    .map((p) => Buffer.from(p.data ?? []).toString('utf8'))
    .join('\n');
}

/** The local activities of the last workflow task, in their order. */
export function lastTaskOf(events: readonly Event[]): string[] {
  const begin = events.findLastIndex((e) => e.workflowTaskCompletedEventAttributes != null);
  return events.slice(begin).flatMap((e) => /"activity_type":"(\w+)"/.exec(markerText(e))?.[1] ?? []);
}
