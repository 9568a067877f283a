import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';

/** The newest run of a workflow, as Temporal has it now. */
export type WorkflowRun =
  | { readonly state: 'running' }
  /** `how`: by Temporal's word, e.g. `TERMINATED`. */
  | { readonly state: 'ended'; readonly how: string; readonly taskQueue: string }
  /** It never ran, or was forgotten after it ended. */
  | { readonly state: 'none' };

/** Looks at a workflow itself, which is never late; Temporal's lists are, by seconds. */
export async function lookAtRun(client: WorkflowClient, workflowId: string): Promise<WorkflowRun> {
  try {
    const { status, taskQueue } = await client.getHandle(workflowId).describe();
    return status.name === 'RUNNING' ? { state: 'running' } : { state: 'ended', how: status.name, taskQueue };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { state: 'none' };
    throw error;
  }
}
