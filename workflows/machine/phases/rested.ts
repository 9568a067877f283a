import { resyncAt } from '../../resync.ts';
import type { Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

/** Once in a long while everything is looked at, whatever was or was not signalled. */
export function rested({ memory, beganAt, settings }: Pass): Answer {
  return { outcome: 'done', until: resyncAt(memory, settings, beganAt), why: 'a slow look at everything' };
}
