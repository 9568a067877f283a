import { conditionOf } from '../../k8s/model/condition.ts';
import { recordRoleOfGoing } from './control-plane-role.ts';
import { forgetMaintenanceStart, isBeforeAbort } from './drain-start.ts';
import { emptyAnew, isDrainBegunFor, isDrainDone, isOfEarlierNode, meansEmptied } from './emptying.ts';
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
function isOfAborted({ memory, status: { deletion = {} } }: Pass): boolean {
  return Object.values(deletion).some((time) => isBeforeAbort(memory, Date.parse(time)));
}

/**
 * Its Node takes pods: another one was registered since it was drained. Or a workflow that begins anew knows of no abort, the status tells of a
 * drain, and nothing of ours is on the Node: whoever else opens it leaves what says that we closed it.
 */
function isGivenBack(pass: Pass): boolean {
  const { memory, seen, status } = pass;
  if (memory.isEndAskedFor === true || seen.node === undefined) return false;
  if (isDrainDone(pass)) return isOfEarlierNode(pass);
  if (seen.node.isHeldForDeletion === true) return false;
  return meansEmptied(conditionOf(status.conditions, 'Drained')?.reason);
}
