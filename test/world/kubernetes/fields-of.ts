import { fieldSchema, listSchemaOf, mapSchemaOf, type FieldSchema } from './field-schema.ts';
import { elementOf, ROOT, treeOf, type FieldPath, type FieldSet, type FieldTree } from './field-set.ts';
import { isFields } from './kube-object.ts';

/** The fields that somebody who applies this value comes to own. */
export function fieldsOf(value: unknown, schema: FieldSchema): Set<FieldPath> {
  const set = new Set<FieldPath>();
  visit(value, schema, ROOT, set);
  set.delete(ROOT);
  return set;
}

function visit(value: unknown, schema: FieldSchema, path: FieldPath, set: Set<FieldPath>): void {
  const list = listSchemaOf(schema, value);
  if (list !== undefined && Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      const at = path.item(elementOf(list.keys, item));
      visit(item, list.items, at, set);
      set.add(at);
    }
    return;
  }
  const map = mapSchemaOf(schema, value);
  if (map === undefined || !isFields(value)) {
    set.add(path);
    return;
  }
  for (const [name, field] of Object.entries(value)) {
    const at = path.field(name);
    visit(field, fieldSchema(map, name), at, set);
    const isEmpty = isFields(field) && Object.keys(field).length === 0;
    // An entry of a map is owned for itself; a struct's field only by what is in it.
    if (isEmpty || !map.fields.has(name)) set.add(at);
  }
}

/** With the named fields that lead to its members: to remove those removes what holds them. */
export function withNamedFields(set: FieldSet, schema: FieldSchema): Set<FieldPath> {
  const members = new Set(set);
  addNamed(treeOf(set), schema, members);
  return members;
}

function addNamed(tree: FieldTree, schema: FieldSchema, members: Set<FieldPath>): void {
  for (const [path, child] of tree.children) {
    const { name } = path;
    const known = name !== undefined && schema.kind === 'map' ? schema.fields.get(name) : undefined;
    if (known !== undefined) members.add(path);
    if (child.children.size > 0) addNamed(child, known ?? schemaBelow(schema), members);
  }
}

function schemaBelow(schema: FieldSchema): FieldSchema {
  if (schema.kind === 'list') return schema.items;
  return schema.kind === 'map' ? (schema.entries ?? { kind: 'open' }) : schema;
}
