import { setCurrentDetails } from '@temporalio/workflow';
import { toDoAbout, type Reason } from '../k8s/model/reasons/reasons.ts';
import { asDetails, asText } from './markdown.ts';
import type { ObjectTarget } from './object-target.ts';
import { reportEvent } from './short-steps.ts';

/** An object that is not what its schema allows is left alone: what it asks for is anybody's guess. The Temporal UI says so. */
export function showMalformed(message: string): void {
  const toDo = toDoAbout({ reason: 'MalformedObject' satisfies Reason });
  setCurrentDetails(asDetails([`**Held**: ${asText(message)}.`, `**What to do:** ${toDo}`]));
}

/** The same; an event says so as well, once. */
export async function tellMalformed(
  target: ObjectTarget,
  memory: { malformed?: string },
  message: string,
): Promise<void> {
  showMalformed(message);
  if (memory.malformed === message) return;
  await reportEvent({ ...target, event: { type: 'Warning', reason: 'FailedValidate', message } });
  memory.malformed = message;
}
