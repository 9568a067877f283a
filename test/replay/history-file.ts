import proto from '@temporalio/proto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

const { History } = proto.temporal.api.history.v1;
const { EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT } = proto.temporal.api.enums.v1.EventType;
type History = proto.temporal.api.history.v1.IHistory;

/**
 * Writes a history as JSON. The fields are those of Temporal's own JSON, with times as
 * seconds and nanoseconds: the SDK's converter fails where npm has installed two copies of protobufjs. Stack traces are
 * left out: a replay does not read them, and they name the folders of the computer they were recorded on.
 */
export async function writeHistory(file: string, history: History): Promise<void> {
  const plain = History.toObject(History.fromObject(history), { enums: String, longs: String, bytes: String });
  await writeFile(file, `${JSON.stringify(plain, withoutStackTrace)}\n`);
}

/**
 * A workflow task timed out: the computer had too much to do. Such a history replays by luck, since of a task that was done over it
 * does not tell what the first one had come to.
 */
export function isRecordedUnderLoad({ events }: History): boolean {
  return events?.some(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT) === true;
}

function withoutStackTrace(key: string, value: unknown): unknown {
  return key === 'stackTrace' ? '' : value;
}

export function readHistory(file: string): History {
  return History.fromObject(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>);
}
