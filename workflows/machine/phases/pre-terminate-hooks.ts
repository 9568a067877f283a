import type { Answer } from '../answer.ts';
import { reach } from '../deletion-points.ts';
import { hasTermination, passHooks, waitForHooks } from '../hooks.ts';
import type { Pass } from '../pass.ts';

/** Holds a deletion before its instance is taken from behind its load balancers and terminated. */
export function preTerminateHooks(pass: Pass): Answer {
  if (!hasTermination(pass)) return passHooks(pass, 'preTerminate');
  reach(pass, 'preTerminateHookStartTime');
  return waitForHooks(pass, 'preTerminate');
}
