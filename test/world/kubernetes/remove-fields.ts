import { fieldSchema, listSchemaOf, mapSchemaOf, type FieldSchema } from './field-schema.ts';
import { elementOf, treeOf, type FieldSet, type FieldTree } from './field-set.ts';
import { isFields, type Fields } from './kube-object.ts';

/** The value without these fields; what held only them is null, as it is to the API server until it writes. */
export function removeFields(value: unknown, fields: FieldSet, schema: FieldSchema): unknown {
  return fields.size === 0 ? value : removed(value, treeOf(fields), schema);
}

function removed(value: unknown, tree: FieldTree, schema: FieldSchema): unknown {
  const list = listSchemaOf(schema, value);
  if (list !== undefined && Array.isArray(value)) {
    const left = value.flatMap((item: unknown) =>
      keep(item, tree.children.get(tree.path.item(elementOf(list.keys, item))), list.items),
    );
    return left.filter((item) => item !== null);
  }
  const map = mapSchemaOf(schema, value);
  if (map === undefined || !isFields(value)) return value;
  const kept: Fields = {};
  for (const [name, field] of Object.entries(value)) {
    const [left] = keep(field, tree.children.get(tree.path.field(name)), fieldSchema(map, name));
    if (left !== undefined) kept[name] = left;
  }
  return kept;
}

function keep(value: unknown, tree: FieldTree | undefined, schema: FieldSchema): unknown[] {
  if (tree === undefined) return [value];
  if (tree.isMember) return [];
  const left = removed(value, tree, schema);
  return isEmpty(left) && !isEmpty(value) ? [null] : [left];
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** What is not null of a value; itself where nothing is. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutNulls);
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (!isFields(value)) return value;
  const kept: Fields = {};
  let isChanged = false;
  for (const name in value) {
    if (value[name] !== null) kept[name] = withoutNulls(value[name]);
    isChanged ||= kept[name] !== value[name];
  }
  return isChanged ? kept : value;
}
