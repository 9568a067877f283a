import { DONE, type Answer } from '../answer.ts';
import { passHooks } from '../hooks.ts';
import type { Pass } from '../pass.ts';

/** A Machine that lives waits for no hook, and is not drained, whatever the controller before us said of that. */
export function unhooked(pass: Pass): Answer {
  passHooks(pass, 'preDrain');
  passHooks(pass, 'preTerminate');
  pass.clearCondition('Drained');
  return DONE;
}
