import { forgetMaintenanceStart } from './drain-start.ts';
import { emptyAnew, isDrainBegunFor } from './emptying.ts';
import { forgetReturn } from './memory.ts';
import type { Pass } from './pass.ts';

/** Ends a maintenance, and an abort that is not over: a deletion outranks both. What was drained for a maintenance is drained anew. */
export function beginDeletion(pass: Pass): void {
  forgetReturn(pass.memory);
  if (isDrainBegunFor(pass, 'maintenance')) emptyAnew(pass);
  pass.clearCondition('Maintenance');
  forgetMaintenanceStart(pass);
  if (pass.status.maintenance === true) pass.set({ maintenance: false });
}
