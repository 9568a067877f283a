import { DONE, type Answer } from '../answer.ts';
import { passHooks } from '../hooks.ts';
import type { Pass } from '../pass.ts';

/** A Machine that lives waits for no hook, whatever the controller before us said of that. */
export function unhooked(pass: Pass): Answer {
  passHooks(pass, 'preDrain');
  passHooks(pass, 'preTerminate');
  return DONE;
}
