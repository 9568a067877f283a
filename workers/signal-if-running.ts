import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';

/** One that has not started or has ended is nobody to tell. */
export async function signalIfRunning(client: Client, workflowId: string, what: SignalDefinition): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).signal(what);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
