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
  if (pass.status.nodeRef === undefined || isDone) return passHooks(pass, 'preDrain');
  const answer = waitForHooks(pass, 'preDrain');
  if (answer.outcome !== 'wait') return answer;
  if (reach(pass, 'preDrainHookStartTime')) {
    pass.tell({ type: 'Normal', reason: 'DrainBlocked', message: answer.wait.message });
  }
  return answer;
}
