import type { Client } from '@temporalio/client';
import type { ObjectWorkflows } from '../activities/lost-workflows.ts';
import { workflowIdOf } from '../workflows/ids.ts';
import { changedSignal } from '../workflows/signals.ts';
import { workflowStartOf } from '../workflows/workflow-start.ts';
import { lookAtRun } from '../process/workflow-run.ts';
import { signalIfRunning } from './signal-if-running.ts';

/** Time limit of one request to Temporal, in milliseconds. */
const TIMEOUT_MS = 20_000;
/** Workflows on one page of a list: what Temporal answers at most. */
const PAGE_SIZE = 1000;

/** @param where the uid of kube-system, and the worker's task queue */
export function createObjectWorkflows(
  client: Client,
  where: { readonly clusterUid: string; readonly taskQueue: string },
): ObjectWorkflows {
  const timely = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + TIMEOUT_MS, call);
  return {
    async listRunning() {
      const query = `TaskQueue = ${JSON.stringify(where.taskQueue)} AND ExecutionStatus = "Running"`;
      const ids = new Set<string>();
      const list = client.workflow.list({ query, pageSize: PAGE_SIZE })[Symbol.asyncIterator]();
      for (;;) {
        const next = await timely(() => list.next());
        if (next.done === true) return ids;
        ids.add(next.value.workflowId);
      }
    },

    lookAt: (ref) => timely(() => lookAtRun(client.workflow, workflowIdOf(ref))),

    async wake(workflowId) {
      await timely(() => signalIfRunning(client, workflowId, changedSignal));
    },

    async start(object, taskQueue) {
      const { type, ...start } = workflowStartOf(object, { clusterUid: where.clusterUid, taskQueue });
      await timely(() => client.workflow.signalWithStart(type, { ...start, signal: changedSignal, signalArgs: [] }));
    },
  };
}
