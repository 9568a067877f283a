import { setTimeout as delay } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';

const { Duration } = proto.google.protobuf;

/** How long closed workflows are kept. */
const RETENTION_SECONDS = 24 * 3600;
/** How long the server may take until it knows a new namespace, in milliseconds. */
const KNOWN_TIMEOUT_MS = 30_000;
const POLL_MS = 200;

/** Makes a Temporal namespace and waits until it can be used. */
export async function createNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: Duration.fromObject({ seconds: RETENTION_SECONDS }),
    });
    const deadline = Date.now() + KNOWN_TIMEOUT_MS;
    while (!(await isKnown(connection, namespace))) {
      if (Date.now() > deadline) {
        throw new Error(
          `Temporal at ${address} does not know namespace ${namespace} ${KNOWN_TIMEOUT_MS / 1000} s later`,
        );
      }
      await delay(POLL_MS);
    }
  } finally {
    await connection.close();
  }
}

/** It is known to who registers it before it is known to who starts workflows, which has a cache of them. */
async function isKnown(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error)) return false;
    throw error;
  }
}
