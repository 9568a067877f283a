import { fixTime } from '../short-steps.ts';
import { log } from '@temporalio/workflow';
import type { ObjectTarget } from '../object-target.ts';
import { failureMessage } from '../activity-failures.ts';
import type { Survey } from './describe-set.ts';
import { dueMarks } from './marks.ts';
import { local } from './ports.ts';
import type { MachineSetMemory } from './set-memory.ts';

/**
 * Looks after marks that cluster-autoscaler may have left. What cannot be done now is done with the next look.
 *
 * @returns when marks are to be looked at again, in milliseconds since the epoch
 */
export async function dropStaleMarks(
  target: ObjectTarget,
  memory: MachineSetMemory,
  { plan }: Survey,
): Promise<number> {
  const { marks = [] } = plan;
  if (marks.length === 0) {
    delete memory.marksLookedAt;
    return Infinity;
  }
  const { due } = dueMarks(marks, memory, Date.now());
  if (due.length > 0) {
    memory.marksLookedAt = Date.now();
    try {
      await local.dropStaleMarks({ ...target, marks: due });
    } catch (error) {
      log.info('marks of cluster-autoscaler cannot be looked at now', { why: failureMessage(error) });
    }
    await fixTime();
  }
  return dueMarks(marks, memory, Date.now()).at;
}
