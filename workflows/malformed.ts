import { setCurrentDetails } from '@temporalio/workflow';
import { toDoAbout, type Reason } from '../k8s/model/reasons/reasons.ts';
import type { Sleep } from './entity.ts';
import { asDetails, asText } from './markdown.ts';
import type { ObjectTarget } from './object-target.ts';
import { reportEvent } from './short-steps.ts';

/** An object that is not what its schema allows is left alone: what it asks for is anybody's guess. The Temporal UI says so. */
export function showMalformed(message: string): void {
  const toDo = toDoAbout({ reason: 'MalformedObject' satisfies Reason });
  setCurrentDetails(asDetails([`**Held**: ${asText(message)}.`, `**What to do:** ${toDo}`]));
}

/**
 * The same; an event says so as well, once.
 *
 * @param nothing what is not done meanwhile: a clause that says so
 */
export async function tellMalformed(
  target: ObjectTarget,
  memory: { malformed?: string },
  seen: { readonly message: string; readonly resyncSeconds: number },
  nothing: string,
): Promise<Sleep> {
  const message = `${seen.message}: ${nothing} until the object is mended`;
  showMalformed(message);
  if (memory.malformed !== message) {
    await reportEvent({ ...target, event: { type: 'Warning', reason: 'FailedValidate', message } });
    memory.malformed = message;
  }
  return { at: Date.now() + seen.resyncSeconds * 1000, why: `the object to be mended: ${seen.message}` };
}
