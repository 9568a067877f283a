import type { Answer } from '../answer.ts';
import { isDrainOver, reach } from '../deletion-points.ts';
import { passHooks, waitForHooks } from '../hooks.ts';
import type { Pass } from '../pass.ts';

/**
 * Holds a deletion before its Node is drained, also where the drain is skipped, and while it is under way. A Machine that never
 * had a Node is not held.
 */
export function preDrainHooks(pass: Pass): Answer {
  const isDone = pass.memory.drained.isDone === true || isDrainOver(pass);
  if (isDone || !mayHaveNode(pass)) return passHooks(pass, 'preDrain');
  const answer = waitForHooks(pass, 'preDrain');
  if (answer.outcome !== 'wait') return answer;
  if (reach(pass, 'preDrainHookStartTime')) {
    pass.tell({ type: 'Normal', reason: 'DrainBlocked', message: answer.wait.message });
  }
  return answer;
}

/** Of an instance that was taken over, or whose record was lost, nobody knows that it never had one. */
function mayHaveNode({ status: { nodeRef, launch }, instanceId }: Pass): boolean {
  return nodeRef !== undefined || (launch === undefined && instanceId !== undefined);
}
