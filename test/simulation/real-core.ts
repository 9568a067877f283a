import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';

export interface RefusedHistory {
  readonly file: string;
  readonly message: string;
}

/** Gives histories that runs wrote to the SDK's real core, which replays them: it tells where the simulated one is another. */
export async function replayInRealCore(
  folder: string,
  codePath: string,
): Promise<{ readonly replayed: number; readonly refused: readonly RefusedHistory[] }> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const files = readdirSync(folder);
  const histories = files.map((file) => ({
    workflowId: file,
    history: proto.temporal.api.history.v1.History.decode(readFileSync(join(folder, file))),
  }));
  const refused: RefusedHistory[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
    if (error !== undefined) refused.push({ file: workflowId, message: error.message });
  }
  return { replayed: files.length, refused };
}
