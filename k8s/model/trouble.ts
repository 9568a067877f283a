import type { Condition } from './condition.ts';
import { NOTHING_TO_DO, rowOf, toDoAbout, type StoredReason } from './reasons/reasons.ts';

/** What tells how a machine stands. */
export interface Standing {
  readonly phase?: string | undefined;
  readonly error?: Trouble | undefined;
  readonly waiting?: (Trouble & StoredReason) | undefined;
  readonly conditions: readonly Condition[];
}

export interface Trouble {
  readonly reason: string;
  readonly message: string;
}

/** What went wrong with a machine last, and was not overcome. */
export function lastTroubleOf({ error, waiting, conditions }: Standing): Trouble | undefined {
  if (error !== undefined) return error;
  if (waiting !== undefined && (rowOf(waiting.reason)?.isTrouble ?? true)) return waiting;
  return newestTrouble(conditions);
}

/** What a person can do about where a machine stands: a sentence or two. */
export function adviceOn({ phase, error, waiting, conditions }: Standing): string {
  // One that waits all the same is tried on.
  if (phase === 'Failed' && waiting === undefined) return adviceOnFailure(error?.reason ?? '');
  if (waiting !== undefined) return toDoAbout(waiting);
  const trouble = phase === 'Deleting' ? undefined : newestTrouble(conditions);
  return trouble === undefined ? NOTHING_TO_DO : toDoAbout(trouble);
}

/** What helps a machine that waits for a reason helps none any more that failed for it. */
function adviceOnFailure(reason: string): string {
  const row = rowOf(reason);
  return (row?.waitsFor === undefined ? row?.toDo : undefined) ?? 'Delete the Machine when it is understood.';
}

function newestTrouble(conditions: readonly Condition[]): Trouble | undefined {
  const [newest] = conditions.filter(isTroubled).sort((a, b) => (a.lastTransitionTime > b.lastTransitionTime ? -1 : 1));
  if (newest === undefined) return undefined;
  const { type, reason, message } = newest;
  return { reason: reason === '' ? type : reason, message };
}

/** What no row tells of is a cloud's or another controller's word: then the status decides. */
export function isTroubled({ status, reason }: Pick<Condition, 'status' | 'reason'>): boolean {
  return rowOf(reason)?.isTrouble ?? status !== 'True';
}
