/** The rules of the cluster: those of every health check that has none of its own. */
import { parse } from 'yaml';
import { isObject } from '../json.ts';
import { readConditionRules, type RulesRead, type WrittenRule } from './condition-rules.ts';
import type { ConditionRule } from './machine-health-check.ts';

/** The ConfigMap in which people write them, and its key. */
export interface RulesPlace {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** Where there is no such ConfigMap: a Node that is not Ready for 5 minutes makes its machine unhealthy. */
export const DEFAULT_CLUSTER_RULES: readonly ConditionRule[] = [
  { type: 'Ready', statuses: ['False', 'Unknown'], timeoutMs: 300_000 },
];

/**
 * Reads `items: [{name, timeout, status}]`. They stand in the place of {@link DEFAULT_CLUSTER_RULES}; an empty list is none.
 *
 * @param data of the ConfigMap
 */
export function parseClusterRules(data: Readonly<Record<string, string>>, key: string): RulesRead {
  const text = data[key];
  if (text === undefined) return { problem: `it has no key '${key}'` };
  let parsed: unknown;
  try {
    parsed = parse(text, { logLevel: 'error' });
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return { problem: `the value of its key '${key}' is no YAML: ${line.replace(/:$/, '')}` };
  }
  const items = isObject(parsed) ? parsed.items : undefined;
  if (!Array.isArray(items)) {
    return { problem: `the value of its key '${key}' has no list 'items' of name, timeout and status` };
  }
  const written: WrittenRule[] = [];
  for (const [index, item] of (items as readonly unknown[]).entries()) {
    const rule = writtenRuleOf(item);
    if (typeof rule === 'string') return { problem: `items.${index}${rule}` };
    written.push(rule);
  }
  return readConditionRules(written, 'items');
}

/** The rule, or what is wrong with it. */
function writtenRuleOf(item: unknown): WrittenRule | string {
  if (!isObject(item)) return ' is no map of name, timeout and status';
  const { name, timeout, status } = item;
  if (typeof name !== 'string' || name === '') return '.name is missing: write the type of a condition, e.g. Ready';
  if (typeof timeout !== 'string') return '.timeout is missing, or no text: write a duration, e.g. 5m';
  // To YAML, a bare True is no text but a truth.
  const told = typeof status === 'boolean' ? (status ? 'True' : 'False') : status;
  if (typeof told !== 'string') return ".status is missing: write 'True', 'False' or 'Unknown'";
  return { type: name, status: told, timeout };
}
