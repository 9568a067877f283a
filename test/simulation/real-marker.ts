import proto, { type temporal } from '@temporalio/proto';
import Long from 'long';
import { timestampOf } from './core/workflow-runtime.ts';
import type { LocalActivityMarker, Payload } from './temporal/history-event.ts';
import { given } from '../../providers/given.ts';

const { EventType } = proto.temporal.api.enums.v1;

/** The end of a local activity as the SDK's core has it written down. */
export function realMarker(marker: LocalActivityMarker, completedId: number): temporal.api.history.v1.IHistoryEvent {
  const { seq, attempt, activityType, completeTime, originalScheduleTime, backoffMs, result, failure } = marker;
  const data = {
    seq,
    attempt,
    activity_id: String(seq),
    activity_type: activityType,
    complete_time: plain(completeTime),
    backoff: backoffMs === undefined ? null : plain(backoffMs),
    original_schedule_time: plain(originalScheduleTime),
  };
  return {
    eventType: EventType.EVENT_TYPE_MARKER_RECORDED,
    markerRecordedEventAttributes: {
      markerName: 'core_local_activity',
      details: {
        data: { payloads: [json(data)] },
        ...given({ result: result && { payloads: [result] } }),
      },
      workflowTaskCompletedEventId: Long.fromNumber(completedId),
      ...given({ failure }),
    },
  };
}

function plain(ms: number): { seconds: number; nanos: number } {
  const { seconds, nanos } = timestampOf(ms);
  return { seconds: seconds.toNumber(), nanos };
}

function json(value: object): Payload {
  const encoder = new TextEncoder();
  return { metadata: { encoding: encoder.encode('json/plain') }, data: encoder.encode(JSON.stringify(value)) };
}
