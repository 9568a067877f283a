import type { ConditionType } from './reasons/conditions.ts';
import type { Cause, ConditionReason } from './reasons/reasons.ts';

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

/** A condition as our own code gives it. The class of a cloud's failure makes its code a reason, and is not kept. */
export type NewCondition = Pick<Condition, 'status' | 'message'> & {
  readonly type: ConditionType;
} & Cause<ConditionReason>;

/** The condition of a type that Millwright writes. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: ConditionType): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The conditions with one of them set; its transition time moves only when its status does. */
export function withCondition(
  conditions: readonly Condition[],
  { type, status, reason, message }: NewCondition,
  now: string,
): Condition[] {
  const known = conditionOf(conditions, type);
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
  const others = conditions.filter((c) => c.type !== type);
  return [...others, { type, status, reason, message, lastTransitionTime }].sort((a, b) => (a.type < b.type ? -1 : 1));
}

/**
 * The conditions with all that is said now, and none that is not.
 *
 * @param kept are there still, also where they are not said now. @default none
 */
export function sayOnly(
  known: readonly Condition[],
  said: readonly NewCondition[],
  now: string,
  kept: readonly Condition[] = [],
): Condition[] {
  const types = new Set<string>(said.map(({ type }) => type));
  const before = [...kept, ...known.filter(({ type }) => types.has(type))];
  return said.reduce((all, condition) => withCondition(all, condition, now), before);
}

/** Whether they say the same, whenever each began to. */
export function saySame(some: readonly Condition[], others: readonly Condition[]): boolean {
  const said = (conditions: readonly Condition[]) =>
    conditions.map(({ type, status, reason, message }) => JSON.stringify([type, status, reason, message])).sort();
  return said(some).join() === said(others).join();
}

/** The conditions without the one of this type. */
export function withoutCondition(conditions: readonly Condition[], type: ConditionType): Condition[] {
  return conditions.filter((c) => c.type !== type);
}
