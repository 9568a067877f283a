import { conditionOf } from '../../../k8s/model/condition.ts';
import type { Answer } from '../answer.ts';
import { findLateNode } from '../control-plane-role.ts';
import { isPastDrain, reach } from '../deletion-points.ts';
import { isDrainDone } from '../emptying.ts';
import { passHooks, waitForHooks } from '../hooks.ts';
import type { Pass } from '../pass.ts';

/**
 * Holds a deletion before its Node is drained, also where the drain is skipped, and while it is under way. A Machine that never
 * had a Node is not held.
 */
export async function preDrainHooks(pass: Pass): Promise<Answer> {
  const isDone = isDrainDone(pass) || isPastDrain(pass);
  const isHooked = pass.seen.machine.hooks?.some(({ point }) => point === 'preDrain') === true;
  if (isDone || !isHooked || !(await mayHaveNode(pass))) return passHooks(pass, 'preDrain');
  const answer = waitForHooks(pass, 'preDrain');
  if (answer.outcome !== 'wait') return answer;
  const before = conditionOf(pass.seen.machine.status.conditions, 'Drainable');
  const isOther = before?.message !== conditionOf(pass.status.conditions, 'Drainable')?.message;
  // Another hook may come while the drain is under way.
  if (reach(pass, 'preDrainHookStartTime') || isOther) {
    pass.tell({ type: 'Normal', reason: 'DrainBlocked', message: answer.wait.message });
  }
  return answer;
}

async function mayHaveNode(pass: Pass): Promise<boolean> {
  const { nodeRef, launch } = pass.status;
  if (nodeRef !== undefined) return true;
  // Of an instance that was taken over, or whose record was lost, nobody knows that it never had one.
  if (launch === undefined) return pass.instanceId !== undefined;
  await findLateNode(pass);
  return pass.status.nodeRef !== undefined;
}
