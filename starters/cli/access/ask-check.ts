import type { MachineHealthCheckStatus } from '../../../k8s/model/machine-health-check.ts';
import type { ObjectRef } from '../../../k8s/model/object-ref.ts';
import type { CheckSight } from '../../../workflows/machine-health-check/messages.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { temporalOf, withConnection } from './temporal-access.ts';
import type { GlobalOptions } from '../flags/global-options.ts';

/** How long the workflow may take to answer before the explanation does without it, in milliseconds. */
const TIMEOUT_MS = 2000;

/** Asks a check's workflow for what its status has no room for. Undefined: nobody answers. */
export async function askCheck(ref: ObjectRef, options: GlobalOptions): Promise<CheckSight | undefined> {
  try {
    const temporal = await temporalOf(options);
    const { Client } = await import('@temporalio/client');
    const { checkSightQuery } = await import('../../../workflows/machine-health-check/messages.ts');
    return await withConnection(
      temporal,
      (connection) =>
        connection.withDeadline(Date.now() + TIMEOUT_MS, () => {
          const client = new Client({ connection, namespace: temporal.namespace });
          return client.workflow.getHandle(workflowIdOf(ref)).query(checkSightQuery);
        }),
      TIMEOUT_MS,
    );
  } catch {
    // Why there is no answer, the report on its workflow says.
    return undefined;
  }
}

/** The status lists each machine that it counts as not healthy. */
export function isToldWhole({
  expectedMachines,
  currentHealthy,
  unhealthyMachines,
}: Partial<MachineHealthCheckStatus>): boolean {
  return (expectedMachines ?? 0) - (currentHealthy ?? 0) <= (unhealthyMachines?.length ?? 0);
}
