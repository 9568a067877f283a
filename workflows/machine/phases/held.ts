import { DONE, waitFor, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';
import { reportEvent } from '../../short-steps.ts';

/**
 * An object that is not what its schema allows is held: it was stored by other CRDs, or by older ones. What it says cannot be
 * trusted, so nothing at all is done with it, not even its deletion, until somebody mends it.
 */
export async function held(pass: Pass): Promise<Answer> {
  const { memory, seen, target } = pass;
  const problem = seen.machine.malformed;
  if (problem === undefined) {
    delete memory.held;
    return DONE;
  }
  const message = `${problem.message}: nothing is done to this machine until the object is mended`;
  if (memory.held !== message) {
    const event = { type: 'Warning', reason: 'FailedValidate', message } as const;
    await reportEvent({ ...target, event });
    memory.held = message;
  }
  return waitFor({ step: 'ReadObject', reason: 'MalformedObject', message });
}
