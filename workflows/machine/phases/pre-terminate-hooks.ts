import type { Answer } from '../answer.ts';
import { reach } from '../deletion-points.ts';
import { passHooks, waitForHooks } from '../hooks.ts';
import type { Pass } from '../pass.ts';

/**
 * Holds a deletion before its instance is taken from behind its load balancers and terminated. Where no instance is known
 * to be the Machine's, nothing has to wait; what was asked to end is not held any more.
 */
export function preTerminateHooks(pass: Pass): Answer {
  if (pass.status.instance === undefined || pass.memory.isEndAskedFor === true) return passHooks(pass, 'preTerminate');
  reach(pass, 'preTerminateHookStartTime');
  return waitForHooks(pass, 'preTerminate');
}
