import { fieldSchema, listSchemaOf, mapSchemaOf, type FieldSchema } from './field-schema.ts';
import { elementOf, treeOf, type FieldSet, type FieldTree } from './field-set.ts';
import { isFields, type Fields } from './kube-object.ts';

/** The value without these fields, and without what held only them. */
export function removeFields(value: unknown, fields: FieldSet, schema: FieldSchema): unknown {
  return fields.size === 0 ? value : removed(value, treeOf(fields), schema);
}

function removed(value: unknown, tree: FieldTree, schema: FieldSchema): unknown {
  const list = listSchemaOf(schema, value);
  if (list !== undefined && Array.isArray(value)) {
    return value.flatMap((item: unknown) => keep(item, tree.children.get(elementOf(list.keys, item)), list.items));
  }
  const map = mapSchemaOf(schema, value);
  if (map === undefined || !isFields(value)) return value;
  const kept: Fields = {};
  for (const [name, field] of Object.entries(value)) {
    const [left] = keep(field, tree.children.get(`f:${name}`), fieldSchema(map, name));
    if (left !== undefined) kept[name] = left;
  }
  return kept;
}

function keep(value: unknown, tree: FieldTree | undefined, schema: FieldSchema): unknown[] {
  if (tree === undefined) return [value];
  if (tree.isMember) return [];
  const left = removed(value, tree, schema);
  return isEmpty(left) && !isEmpty(value) ? [] : [left];
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
