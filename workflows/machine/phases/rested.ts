import type { Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

/** Once in a long while everything is looked at, whatever was or was not signalled. */
export function rested({ memory, beganAt, settings, isResync }: Pass): Answer {
  if (isResync) delete memory.resyncAt;
  memory.resyncAt ??= beganAt + settings.resyncSeconds * 1000;
  return { outcome: 'done', until: memory.resyncAt, why: 'a slow look at everything' };
}
