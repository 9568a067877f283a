import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import { formatMoment } from './age.ts';
import { reasonOf } from './cli-error.ts';
import type { GlobalOptions } from './global-options.ts';
import type { WorkflowReport } from './render-explanation.ts';
import { withTemporal } from './temporal-access.ts';
import { workflowUrl } from './ui-link.ts';

/** How long Temporal may take to answer before the explanation does without it, in milliseconds. */
const TIMEOUT_MS = 2000;

/** Asks Temporal whether the workflow of an object runs. Never rejects: that there is no answer is said in words. */
export async function reportWorkflow(
  ref: ObjectRef,
  options: GlobalOptions,
  uiUrl: string | undefined,
): Promise<WorkflowReport> {
  const id = workflowIdOf(ref);
  const link =
    uiUrl === undefined
      ? `unknown: give --ui-url, or set MILLWRIGHT_UI_URL; the workflow's id is ${id}`
      : workflowUrl(uiUrl, options.temporalNamespace, id);
  return { id, state: await stateOf(id, options), link };
}

async function stateOf(id: string, options: GlobalOptions): Promise<string> {
  const { temporalAddress, temporalNamespace } = options;
  const { Client, WorkflowNotFoundError } = await import('@temporalio/client');
  try {
    const description = await withTemporal(
      options,
      (connection) => {
        const client = new Client({ connection, namespace: temporalNamespace });
        return connection.withDeadline(Date.now() + TIMEOUT_MS, () => client.workflow.getHandle(id).describe());
      },
      TIMEOUT_MS,
    );
    const { status, startTime, closeTime } = description;
    const now = Date.now();
    const isRunning = status.name === 'RUNNING';
    const since = formatMoment((isRunning ? startTime : (closeTime ?? startTime)).toISOString(), now);
    return isRunning ? `running since ${since}` : `not running: ${status.name.toLowerCase()} at ${since}`;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) {
      return `not running: Temporal namespace ${temporalNamespace} has no workflow ${id}; does the watcher run?`;
    }
    return `unknown: Temporal at ${temporalAddress} gave no answer within ${TIMEOUT_MS / 1000} s (${reasonOf(error)})`;
  }
}
