import type { Agenda } from '../time/agenda.ts';
import type { Run } from './run.ts';

/** How long a client waits for the answer to a query, in milliseconds. */
const PATIENCE_MS = 2000;

/**
 * A query is answered after the workflow task that is open when it comes, so that what was told before is known to the answer. Answers false
 * where nobody has done that task in the time that clients wait for.
 */
export function afterOpenTask(run: Pick<Run, 'tasks'>, agenda: Agenda): Promise<boolean> {
  return new Promise((resolve) => {
    const callOff = agenda.after(PATIENCE_MS, () => resolve(false));
    run.tasks.whenDone(() => {
      callOff();
      resolve(true);
    });
  });
}
