import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import type { WorkflowRun } from '../activities/lost-workflows.ts';

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
