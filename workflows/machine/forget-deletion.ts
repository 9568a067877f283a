import { emptyAnew, forgetEmptyingOfDeletion } from './emptying.ts';
import { forgetSettled } from './memory.ts';
import type { Pass } from './pass.ts';
import { forgetTurn } from './turn.ts';

/**
 * How far a deletion, or its preparation, had come counts for no later one.
 *
 * @param isMaintained the machine is in maintenance: what was drained for that stays drained, and its turn is taken
 */
export function forgetDeletion(pass: Pass, isMaintained: boolean): void {
  forgetRecord(pass);
  forgetSettled(pass.memory);
  if (isMaintained) forgetEmptyingOfDeletion(pass);
  else {
    emptyAnew(pass);
    forgetTurn(pass);
  }
}

/** The same of the status alone. */
export function forgetRecord(pass: Pass): void {
  const { deletion: _over, ...status } = pass.status;
  pass.status = status;
  pass.clearCondition('Drained');
}
