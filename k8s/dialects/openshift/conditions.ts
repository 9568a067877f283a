import type { Condition } from '../../model/condition.ts';

interface StoredCondition {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Conditions as they are stored: others write some of them, and leave out what they like. */
export function readConditions(stored: readonly StoredCondition[] = []): Condition[] {
  return stored.map(({ type, status, reason = '', message = '', lastTransitionTime = '' }) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime,
  }));
}
