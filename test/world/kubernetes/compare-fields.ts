import { isDeepStrictEqual } from 'node:util';
import { fieldSchema, listSchemaOf, mapSchemaOf, type FieldSchema, type ListSchema } from './field-schema.ts';
import { atField, elementOf, ROOT, type FieldPath } from './field-set.ts';
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
  const children = childrenOf(before, after, schema, path);
  // Where both are empty it is a leaf: so an empty value is told from a missing one.
  if (children === undefined || children.length === 0) {
    if (before === undefined) result.added.add(path);
    else if (after === undefined) result.removed.add(path);
    else if (!isDeepStrictEqual(before, after)) result.modified.add(path);
    return;
  }
  for (const child of children) compare(child.before, child.after, child.schema, child.path, result);
  if (before === undefined) result.added.add(path);
  else if (after === undefined) result.removed.add(path);
}

interface Child {
  readonly before: unknown;
  readonly after: unknown;
  readonly schema: FieldSchema;
  readonly path: FieldPath;
}

function childrenOf(before: unknown, after: unknown, schema: FieldSchema, path: FieldPath): Child[] | undefined {
  const list = listSchemaOf(schema, before, after);
  if (list !== undefined) {
    const [old, now] = [itemsByElement(list, before), itemsByElement(list, after)];
    return [...new Set([...old.keys(), ...now.keys()])].map((element) => ({
      before: old.get(element),
      after: now.get(element),
      schema: list.items,
      path: `${path}\n${element}`,
    }));
  }
  const map = mapSchemaOf(schema, before, after);
  if (map === undefined) return undefined;
  const [old, now] = [(before ?? {}) as Fields, (after ?? {}) as Fields];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].map((name) => ({
    before: old[name],
    after: now[name],
    schema: fieldSchema(map, name),
    path: atField(path, name),
  }));
}

/** Items of a list by what tells them apart. */
export function itemsByElement({ keys }: ListSchema, list: unknown): Map<string, unknown> {
  const items = Array.isArray(list) ? (list as readonly unknown[]) : [];
  return new Map(items.map((item) => [elementOf(keys, item), item]));
}
