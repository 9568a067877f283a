/**
 * Reads fields of objects that no schema has checked: what is not of the kind that is asked for is taken as missing. One
 * object that cannot be read must neither be overlooked nor keep the watcher from the others.
 */

import type { Taint } from '../../k8s/model/machine.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';

/** The value at a path of fields; undefined where the path does not lead there. */
export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = fieldAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldAt(value, ...path);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
}

/** Labels and the like: what is text in an object. */
export function textsAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = fieldAt(value, ...path);
  if (typeof found !== 'object' || found === null) return {};
  const texts = Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}

export function taintsAt(value: unknown, ...path: readonly string[]): readonly Taint[] {
  return listAt(value, ...path).flatMap((taint) => {
    const key = textAt(taint, 'key');
    const effect = textAt(taint, 'effect');
    const own = textAt(taint, 'value');
    if (key === undefined || effect === undefined) return [];
    return [{ key, effect, ...(own === undefined ? {} : { value: own }) }];
  });
}

/** The IP addresses in a status. */
export function addressesOf(status: unknown): readonly string[] {
  return listAt(status, 'addresses').flatMap((entry) => {
    const address = textAt(entry, 'address');
    return address !== undefined && textAt(entry, 'type')?.endsWith('IP') === true ? [address] : [];
  });
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];
const OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'] satisfies Expression['operator'][];

/** A selector; one that is not wholly readable selects nothing, as what was left of it would select too much. */
export function selectorAt(value: unknown, ...path: readonly string[]): LabelSelector {
  const labels = fieldAt(value, ...path, 'matchLabels') ?? {};
  const expressions = fieldAt(value, ...path, 'matchExpressions') ?? [];
  if (typeof labels !== 'object' || !Array.isArray(expressions)) return {};
  const matchLabels = textsAt(labels);
  const matchExpressions = (expressions as readonly unknown[]).filter(isExpression);
  if (Object.keys(matchLabels).length < Object.keys(labels).length) return {};
  if (matchExpressions.length < expressions.length) return {};
  return { matchLabels, matchExpressions };
}

function isExpression(value: unknown): value is Expression {
  const values = fieldAt(value, 'values') ?? [];
  return (
    textAt(value, 'key') !== undefined &&
    OPERATORS.includes(textAt(value, 'operator') ?? '') &&
    Array.isArray(values) &&
    values.every((one) => typeof one === 'string')
  );
}
