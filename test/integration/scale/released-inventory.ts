import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { readClusterUid } from '../../../k8s/cluster.ts';
import { inventoryWorkflowId } from '../../../workflows/ids.ts';
import { getStack } from '../stack.ts';

export interface ReleasedInventory {
  /** Ends it, and holds it again on a queue without workers. */
  hold(): Promise<void>;
}

/** Ends the inventory that the setup holds: the next watcher starts it, on its own task queue. */
export async function releaseInventory(): Promise<ReleasedInventory> {
  const { kube, temporal } = getStack();
  const cluster = await readClusterUid(kube);
  const workflowId = inventoryWorkflowId(cluster);
  const connection = await Connection.connect({ address: temporal.address });
  const { workflow } = new Client({ connection, namespace: temporal.namespace });
  const end = async () => {
    await workflow
      .getHandle(workflowId)
      .terminate('released or held by a test')
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      });
  };
  await end();
  return {
    async hold() {
      await end();
      await workflow.start('inventory', { workflowId, taskQueue: 'held', args: [{ v: 1, clusterUid: cluster }] });
      await connection.close();
    },
  };
}
