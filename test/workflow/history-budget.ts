import type { temporal } from '@temporalio/proto';

type Event = temporal.api.history.v1.IHistoryEvent;

/** What a history spent until, and with, the first status write after which `isReached` holds. */
export function spentUntil(events: readonly Event[], isReached: (statusJson: string) => boolean) {
  const end = events.findIndex((e) => isReached(resultOf(e, 'writeMachineStatus')));
  if (end === -1) throw new Error('the history never got there');
  const spent = events.slice(0, end + 1);
  const tasks = spent.filter((e) => e.workflowTaskScheduledEventAttributes != null).length;
  return { events: spent.length, tasks };
}

/** What a marker tells of a local activity of this name: its record as text; empty for every other event. */
function resultOf(event: Event, activity: string): string {
  const details = event.markerRecordedEventAttributes?.details;
  const text = Object.values(details ?? {})
    .flatMap((d) => d.payloads ?? [])
    .map((p) => Buffer.from(p.data ?? []).toString('utf8'))
    .join('\n');
  return text.includes(`"activity_type":"${activity}"`) ? text : '';
}
