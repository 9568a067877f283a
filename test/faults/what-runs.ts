import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { getStack } from '../integration/stack.ts';
import type { ProxiedWorker } from './proxied-worker.ts';

/** Most lines of each worker's log, and most workflows, that are told. */
const MOST_TOLD = 8;

/** For the message of a case that came to no end: its workers with the ends of their logs, and the workflows of its task queue. */
export async function tellWhatRuns(taskQueue: string, workers: readonly ProxiedWorker[]): Promise<string> {
  const told = [...(await Promise.all(workers.map(tellWorker))), ...(await tellWorkflows(taskQueue))];
  return told.join('\n');
}

async function tellWorker(worker: ProxiedWorker): Promise<string> {
  const running = worker.started();
  if (running === undefined) return 'no worker runs';
  const end = running.ended();
  const log = await readFile(running.log, 'utf8');
  const lines = log.trimEnd().split('\n').slice(-MOST_TOLD);
  return [`worker ${running.pid} ${end === undefined ? 'runs' : `ended with ${end}`}; its log ends:`, ...lines].join(
    '\n',
  );
}

async function tellWorkflows(taskQueue: string): Promise<string[]> {
  const { temporal } = getStack();
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const { workflow } = new Client({ connection, namespace: temporal.namespace });
    const lines: string[] = [];
    for await (const { workflowId, status } of workflow.list({ query: `TaskQueue = '${taskQueue}'` })) {
      lines.push(`workflow ${workflowId} is ${status.name}`);
      if (lines.length === MOST_TOLD) break;
    }
    return lines.length === 0 ? [`no workflow is of the task queue ${taskQueue}`] : lines;
  } finally {
    await connection.close();
  }
}
