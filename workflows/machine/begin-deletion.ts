import { recordRoleOfGoing } from './control-plane-role.ts';
import { forgetMaintenanceStart } from './drain-start.ts';
import { emptyAnew, isDrainBegunFor } from './emptying.ts';
import { forgetReturn } from './memory.ts';
import type { Pass } from './pass.ts';

/** Ends a maintenance, a reboot, and an abort that is not over: a deletion outranks them. What was drained for others is drained anew. */
export function beginDeletion(pass: Pass): void {
  forgetReturn(pass.memory);
  recordRoleOfGoing(pass);
  if (isDrainBegunFor(pass, 'maintenance') || isDrainBegunFor(pass, 'reboot')) emptyAnew(pass);
  pass.clearCondition('Maintenance');
  pass.clearCondition('Rebooted');
  forgetMaintenanceStart(pass);
  if (pass.status.maintenance === true) pass.set({ maintenance: false });
}
