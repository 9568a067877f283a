import { conditionOf } from '../../k8s/model/condition.ts';
import { recordRoleOfGoing } from './control-plane-role.ts';
import { isPastDrain } from './deletion-points.ts';
import { forgetMaintenanceStart, startOnRecord } from './drain-start.ts';
import { emptyAnew, endedDrainFrom, hadNoNode, isDrainBegunFor } from './emptying.ts';
import { forgetDeletion } from './forget-deletion.ts';
import { forgetReturn } from './memory.ts';
import type { Pass } from './pass.ts';

/** Ends a maintenance, a reboot, and an abort that is not over: a deletion outranks them. What was drained for others is drained anew. */
export function beginDeletion(pass: Pass): void {
  forgetReturn(pass.memory);
  recordRoleOfGoing(pass);
  if (isToDrainAgain(pass)) drainAgain(pass);
  if (isDrainBegunFor(pass, 'maintenance') || isDrainBegunFor(pass, 'reboot')) emptyAnew(pass);
  pass.clearCondition('Maintenance');
  pass.clearCondition('Rebooted');
  forgetMaintenanceStart(pass);
  if (pass.status.maintenance === true) pass.set({ maintenance: false });
}

/**
 * Its Node was drained, and the status tells nothing of that, or of another drain: a pass that is lost aborted the deletion, and put that on record
 * before it opened the Node. Whoever closed the Node since has not emptied it. Where there was no Node to drain, one may have joined.
 */
function isToDrainAgain(pass: Pass): boolean {
  const { memory, status } = pass;
  if (memory.isEndAskedFor === true) return false;
  if (hadNoNode(pass)) return !isPastDrain(pass);
  const from = endedDrainFrom(pass, 'deletion');
  if (from === undefined) return false;
  const onRecord = startOnRecord(pass);
  if (Number.isNaN(onRecord)) return conditionOf(status.conditions, 'Drained')?.status !== 'True';
  return onRecord !== from;
}

/** From its first step, at the time that is on record for the drain, if any: Deployments that were rolled carry it. */
function drainAgain(pass: Pass): void {
  const { deletion } = pass.status;
  forgetDeletion(pass, false);
  if (deletion !== undefined) pass.set({ deletion });
}
