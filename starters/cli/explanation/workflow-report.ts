import type { ObjectRef } from '../../../k8s/model/object-ref.ts';
import type { TemporalConnection } from '../../../process/temporal-connection.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { formatMoment } from '../output/age.ts';
import { reasonOf } from '../cli-error.ts';
import type { GlobalOptions } from '../flags/global-options.ts';
import { temporalOf, withConnection } from '../access/temporal-access.ts';
import { workflowUrl } from './ui-link.ts';
import { given } from '../../../providers/given.ts';

/** What Temporal says of an object's workflow, or why it says nothing. */
export interface WorkflowReport {
  readonly id: string;
  /** E.g. `running since …`. */
  readonly state: string;
  /** Its page in the Temporal UI, or how to get one. */
  readonly link: string;
  /** What keeps it from its next step, to be read after `Waiting for`: nobody is there to take it, or every try fails. */
  readonly obstacle?: string;
}

/** How long Temporal may take to answer before the explanation does without it, in milliseconds. */
const TIMEOUT_MS = 2000;

/** Asks Temporal whether the workflow of an object runs. Never rejects: that there is no answer is said in words. */
export async function reportWorkflow(
  ref: ObjectRef,
  options: GlobalOptions,
  uiUrl: string | undefined,
): Promise<WorkflowReport> {
  const id = workflowIdOf(ref);
  let temporal: TemporalConnection;
  try {
    temporal = await temporalOf(options);
  } catch (error) {
    return { id, state: `unknown: ${reasonOf(error)}`, link: `unknown; the workflow's id is ${id}` };
  }
  const link =
    uiUrl === undefined
      ? `unknown: give --ui-url, or set MILLWRIGHT_UI_URL; the workflow's id is ${id}`
      : workflowUrl(uiUrl, temporal.namespace, id);
  return { id, link, ...(await lookAt(id, temporal)) };
}

async function lookAt(id: string, temporal: TemporalConnection): Promise<Pick<WorkflowReport, 'state' | 'obstacle'>> {
  const { address, namespace } = temporal;
  const { Client, WorkflowNotFoundError } = await import('@temporalio/client');
  const { findObstacle } = await import('./attendance.ts');
  try {
    return await withConnection(
      temporal,
      (connection) =>
        connection.withDeadline(Date.now() + TIMEOUT_MS, async () => {
          const client = new Client({ connection, namespace });
          const description = await client.workflow.getHandle(id).describe();
          const { status, startTime, closeTime } = description;
          const isRunning = status.name === 'RUNNING';
          const since = formatMoment((isRunning ? startTime : (closeTime ?? startTime)).toISOString(), Date.now());
          if (!isRunning) {
            const end = `${status.name.toLowerCase()} at ${since}`;
            return {
              state: `not running: ${end}`,
              obstacle: `the watcher to start its workflow again, which ended (${end}). Does \`millwright watcher\` run?`,
            };
          }
          const obstacle = await findObstacle(connection, namespace, description);
          return { state: `running since ${since}`, ...given({ obstacle }) };
        }),
      TIMEOUT_MS,
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) {
      return {
        state: `not running: Temporal namespace ${namespace} has no workflow ${id}; does the watcher run?`,
        obstacle: `the watcher: no workflow was started for it in Temporal namespace ${namespace} at ${address}. Does \`millwright watcher\` run?`,
      };
    }
    return {
      state: `unknown: Temporal at ${address} gave no answer within ${TIMEOUT_MS / 1000} s (${reasonOf(error)})`,
    };
  }
}
