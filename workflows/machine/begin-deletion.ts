import { conditionOf } from '../../k8s/model/condition.ts';
import { recordRoleOfGoing } from './control-plane-role.ts';
import { forgetMaintenanceStart } from './drain-start.ts';
import { emptyAnew, endOfDrain, isDrainBegunFor } from './emptying.ts';
import { forgetDeletion, forgetRecord } from './forget-deletion.ts';
import { forgetReturn } from './memory.ts';
import type { Pass } from './pass.ts';

/** Ends a maintenance, a reboot, and an abort that is not over: a deletion outranks them. What was drained for others is drained anew. */
export function beginDeletion(pass: Pass): void {
  forgetReturn(pass.memory);
  recordRoleOfGoing(pass);
  if (isOfAborted(pass)) forgetRecord(pass);
  if (isGivenBack(pass)) forgetDeletion(pass, false);
  if (isDrainBegunFor(pass, 'maintenance') || isDrainBegunFor(pass, 'reboot')) emptyAnew(pass);
  pass.clearCondition('Maintenance');
  pass.clearCondition('Rebooted');
  forgetMaintenanceStart(pass);
  if (pass.status.maintenance === true) pass.set({ maintenance: false });
}

/** The status tells of a deletion that was aborted: whoever did that died before it was written, or somebody has put it back. */
function isOfAborted({ memory: { abortedAt }, status: { deletion = {} } }: Pass): boolean {
  return abortedAt !== undefined && Object.values(deletion).some((time) => Date.parse(time) <= abortedAt);
}

/**
 * The same of a workflow that begins anew, and knows of no abort: its Node was drained for its deletion, and takes pods again. Whoever else opens the Node leaves what says that we closed it, and somebody may have closed it again since.
 */
function isGivenBack(pass: Pass): boolean {
  const { node } = pass.seen;
  if (node === undefined || node.isHeldForDeletion === true) return false;
  if (pass.memory.isEndAskedFor === true) return false;
  const reason = endOfDrain(pass, 'deletion')?.reason ?? conditionOf(pass.status.conditions, 'Drained')?.reason;
  return reason === 'DrainSucceeded' || reason === 'DrainTimedOut';
}
