import type { Answer } from '../answer.ts';
import { passHooks, waitForHooks } from '../hooks.ts';
import type { Pass } from '../pass.ts';

/**
 * Holds a deletion before its Node is drained, also where the drain is skipped. A Machine that never had a Node is not held, nor
 * what was asked to end.
 */
export function preDrainHooks(pass: Pass): Answer {
  const hasBegun = pass.memory.isEndAskedFor === true;
  if (pass.status.nodeRef === undefined || hasBegun) return passHooks(pass, 'preDrain');
  return waitForHooks(pass, 'preDrain');
}
