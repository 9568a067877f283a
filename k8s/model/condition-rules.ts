import { parseDuration } from './duration.ts';
import type { ConditionRule } from './machine-health-check.ts';

type Status = ConditionRule['statuses'][number];

/** In the order in which a rule lists them, so that the same rules are the same, however they are written. */
export const STATUSES: readonly Status[] = ['False', 'True', 'Unknown'];

/** A rule as people write it: of one status. */
export interface WrittenRule {
  readonly type: string;
  readonly status: string;
  readonly timeout: string;
}

/** What people wrote, or the first thing that is wrong with it, as the beginning of a sentence. */
export type RulesRead = { readonly rules: readonly ConditionRule[] } | { readonly problem: string };

/**
 * Rules of the same type and time-out become one of several statuses.
 *
 * @param path where they stand, for the message
 */
export function readConditionRules(written: readonly WrittenRule[], path: string): RulesRead {
  const rules = new Map<string, ConditionRule>();
  for (const [index, { type, status, timeout }] of written.entries()) {
    const known = STATUSES.find((one) => one === status);
    if (known === undefined) {
      return { problem: `${path}.${index}.status is '${status}', which is none of 'True', 'False' and 'Unknown'` };
    }
    const timeoutMs = parseDuration(timeout);
    if (timeoutMs === undefined) return { problem: `${path}.${index}.timeout ${noDuration(timeout)}` };
    const key = `${timeoutMs} ${type}`;
    const statuses = [...(rules.get(key)?.statuses ?? []), known];
    rules.set(key, { type, statuses: STATUSES.filter((one) => statuses.includes(one)), timeoutMs });
  }
  return { rules: [...rules.values()] };
}

/** What is wrong with a text that should be a duration. */
export function noDuration(text: string): string {
  return `is '${text}', which is no duration: write numbers with their units, e.g. 300s, 5m or 1h30m`;
}
