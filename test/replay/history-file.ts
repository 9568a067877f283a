import proto from '@temporalio/proto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

const { History } = proto.temporal.api.history.v1;
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

function withoutStackTrace(key: string, value: unknown): unknown {
  return key === 'stackTrace' ? '' : value;
}

export function readHistory(file: string): History {
  return History.fromObject(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>);
}
