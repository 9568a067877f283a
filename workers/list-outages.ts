import type { Client } from '@temporalio/client';
import type { ListOutages } from '../activities/health/outages.ts';
import { safetyWorkflowId } from '../workflows/ids.ts';
import { outagesQuery } from '../workflows/safety/messages.ts';

/** Time limit of the request to Temporal, in milliseconds: nobody waits for longer. */
const TIMEOUT_MS = 2000;

/** @param clusterUid uid of kube-system */
export function createListOutages(client: Client, clusterUid: string): ListOutages {
  const handle = client.workflow.getHandle(safetyWorkflowId(clusterUid));
  return () => client.withDeadline(Date.now() + TIMEOUT_MS, () => handle.query(outagesQuery));
}
