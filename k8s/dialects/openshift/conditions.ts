import type { Condition } from '../../model/condition.ts';
import { splitConditions, type ConditionRole } from '../../model/reasons/conditions.ts';

interface StoredCondition {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Conditions as they are stored: others write some of them, and leave out what they like. */
export function readConditions(role: ConditionRole, stored: readonly StoredCondition[] = []) {
  const conditions = stored.map(({ type, status, reason = '', message = '', lastTransitionTime = '' }): Condition => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime,
  }));
  return splitConditions(role, conditions);
}
