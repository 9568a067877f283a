import { forgetMaintenanceStart } from './drain-start.ts';
import { emptyAnew } from './emptying.ts';
import { forgetReturn } from './memory.ts';
import type { Pass } from './pass.ts';

/** A deletion outranks a maintenance, and an abort that is not over: what was drained for a maintenance is looked at anew. */
export function beginDeletion(pass: Pass): void {
  forgetReturn(pass.memory);
  if (pass.memory.emptying.pods.purpose === 'maintenance') emptyAnew(pass);
  pass.clearCondition('Maintenance');
  forgetMaintenanceStart(pass);
  if (pass.status.maintenance === true) pass.set({ maintenance: false });
}
