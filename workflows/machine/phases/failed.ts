import { DONE, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

/** A machine that has failed stays as it is until it is deleted. */
export function failed({ hasFailed, status }: Pass): Answer {
  return hasFailed ? { outcome: 'idle', why: status.error?.message ?? 'it failed' } : DONE;
}
