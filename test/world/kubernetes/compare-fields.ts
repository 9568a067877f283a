import { isDeepStrictEqual } from 'node:util';
import { fieldSchema, listSchemaOf, mapSchemaOf, type FieldSchema, type ListSchema } from './field-schema.ts';
import { elementOf, ROOT, type FieldPath } from './field-set.ts';
import type { Fields } from './kube-object.ts';

export interface Comparison {
  readonly added: Set<FieldPath>;
  readonly modified: Set<FieldPath>;
  readonly removed: Set<FieldPath>;
}

/** Which fields a change adds, modifies and removes. */
export function compareFields(before: unknown, after: unknown, schema: FieldSchema): Comparison {
  const comparison = { added: new Set<FieldPath>(), modified: new Set<FieldPath>(), removed: new Set<FieldPath>() };
  compare(before, after, schema, ROOT, comparison);
  return comparison;
}

function compare(before: unknown, after: unknown, schema: FieldSchema, path: FieldPath, result: Comparison): void {
  if (before === after) return;
  // Where both are empty it is a leaf: so an empty value is told from a missing one.
  if (!compareChildren(before, after, schema, path, result)) {
    if (before === undefined) result.added.add(path);
    else if (after === undefined) result.removed.add(path);
    else if (!isDeepStrictEqual(before, after)) result.modified.add(path);
    return;
  }
  if (before === undefined) result.added.add(path);
  else if (after === undefined) result.removed.add(path);
}

/** Answers whether there are any. */
function compareChildren(
  before: unknown,
  after: unknown,
  schema: FieldSchema,
  path: FieldPath,
  result: Comparison,
): boolean {
  const list = listSchemaOf(schema, before, after);
  if (list !== undefined) {
    const [old, now] = [itemsByElement(list, before), itemsByElement(list, after)];
    for (const element of new Set([...old.keys(), ...now.keys()])) {
      compare(old.get(element), now.get(element), list.items, path.item(element), result);
    }
    return old.size + now.size > 0;
  }
  const map = mapSchemaOf(schema, before, after);
  if (map === undefined) return false;
  const [old, now] = [(before ?? {}) as Fields, (after ?? {}) as Fields];
  let hasAny = false;
  for (const name in old) {
    hasAny = true;
    compare(old[name], now[name], fieldSchema(map, name), path.field(name), result);
  }
  for (const name in now) {
    hasAny = true;
    if (!(name in old)) compare(undefined, now[name], fieldSchema(map, name), path.field(name), result);
  }
  return hasAny;
}

/** Items of a list by what tells them apart. */
export function itemsByElement({ keys }: ListSchema, list: unknown): Map<string, unknown> {
  const items = Array.isArray(list) ? (list as readonly unknown[]) : [];
  return new Map(items.map((item) => [elementOf(keys, item), item]));
}
