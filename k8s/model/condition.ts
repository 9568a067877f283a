import type { ConditionType } from './reasons/conditions.ts';
import type { ConditionReason } from './reasons/reasons.ts';

/** A condition as the Kubernetes API conventions define it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, for programs. */
  readonly reason: string;
  /** A sentence, for people. */
  readonly message: string;
  /** When `status` last changed, RFC 3339. */
  readonly lastTransitionTime: string;
}

/** A condition as our own code gives it: its type and its reason are listed. */
export interface NewCondition extends Omit<Condition, 'lastTransitionTime'> {
  readonly type: ConditionType;
  readonly reason: ConditionReason;
}

/** The conditions with one of them set; its transition time moves only when its status does. */
export function withCondition(
  conditions: readonly Condition[],
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] {
  const known = conditions.find((c) => c.type === condition.type);
  const lastTransitionTime = known?.status === condition.status ? known.lastTransitionTime : now;
  const others = conditions.filter((c) => c.type !== condition.type);
  return [...others, { ...condition, lastTransitionTime }].sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** The conditions without the one of this type. */
export function withoutCondition(conditions: readonly Condition[], type: string): Condition[] {
  return conditions.filter((c) => c.type !== type);
}
