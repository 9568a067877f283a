import { isFields, type Fields } from './kube-object.ts';

/**
 * How the fields of a value are told apart when several managers write it: what server-side apply knows of a schema. `leaf`
 * is written as a whole, also where it is an atomic list or map; `open` is of no schema: maps by field, all else whole.
 */
export type FieldSchema = LeafSchema | { readonly kind: 'open' } | MapSchema | ListSchema;

export interface LeafSchema {
  readonly kind: 'leaf';
  /** What of it is known: the rest is dropped. */
  readonly inside?: MapSchema | ListSchema;
}

export interface MapSchema {
  readonly kind: 'map';
  /** Fields with a name of their own. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Of the entries beside them; absent: there are none, and unknown ones are dropped. */
  readonly entries?: FieldSchema;
  /** What a field has that is left out. */
  readonly defaults: ReadonlyMap<string, unknown>;
}

export interface ListSchema {
  readonly kind: 'list';
  /** Fields by which its items are told apart; `value`: the items are a set. */
  readonly keys: readonly string[] | 'value';
  readonly items: FieldSchema;
}

export const LEAF: FieldSchema = { kind: 'leaf' };
export const OPEN: FieldSchema = { kind: 'open' };
const OPEN_MAP: MapSchema = { kind: 'map', fields: new Map(), entries: OPEN, defaults: new Map() };

export function mapOf(fields: Readonly<Record<string, FieldSchema>>, entries?: FieldSchema): MapSchema {
  const known = { kind: 'map', fields: new Map(Object.entries(fields)), defaults: new Map() } as const;
  return entries === undefined ? known : { ...known, entries };
}

export function listBy(keys: ListSchema['keys'], items: FieldSchema = OPEN): ListSchema {
  return { kind: 'list', keys, items };
}

const TEXTS = mapOf({}, LEAF);

/** Of `metadata`, the same in all kinds. */
export const METADATA: MapSchema = mapOf(
  {
    labels: TEXTS,
    annotations: TEXTS,
    finalizers: listBy('value', LEAF),
    ownerReferences: listBy(['uid'], LEAF),
  },
  LEAF,
);

/** The map that all of these values are; undefined where one is none. What is missing or null fits. */
export function mapSchemaOf(schema: FieldSchema, ...values: readonly unknown[]): MapSchema | undefined {
  if (!values.every((value) => value === undefined || value === null || isFields(value))) return undefined;
  if (schema.kind === 'map') return schema;
  return schema.kind === 'open' ? OPEN_MAP : undefined;
}

/** The list, of items that are told apart, that all of these values are; undefined where one is none. */
export function listSchemaOf(schema: FieldSchema, ...values: readonly unknown[]): ListSchema | undefined {
  const areLists = values.every((value) => value === undefined || value === null || Array.isArray(value));
  return schema.kind === 'list' && areLists ? schema : undefined;
}

export function fieldSchema(schema: MapSchema, name: string): FieldSchema {
  return schema.fields.get(name) ?? schema.entries ?? OPEN;
}

/**
 * Drops unknown fields and nulls, fills in defaults, and puts fields in the order of their names, as the API server does with
 * custom resources. What it leaves as it is, it does not copy.
 */
export function pruned(value: unknown, schema: FieldSchema): unknown {
  if (schema.kind === 'leaf') return schema.inside === undefined ? value : pruned(value, schema.inside);
  const map = mapSchemaOf(schema, value);
  if (map !== undefined && isFields(value)) return prunedFields(value, map);
  if (schema.kind !== 'list' || !Array.isArray(value)) return value;
  const items = value.map((item: unknown) => pruned(item, schema.items));
  return items.some((item, i) => item !== value[i]) ? items : value;
}

function prunedFields(value: Fields, map: MapSchema): Fields {
  const kept: Fields = {};
  let isChanged = false;
  let before = '';
  for (const name in value) {
    const field = value[name];
    isChanged ||= name < before;
    before = name;
    const isKnown = map.fields.has(name) || map.entries !== undefined;
    if (isKnown && field !== null && field !== undefined) kept[name] = pruned(field, fieldSchema(map, name));
    isChanged ||= kept[name] !== field;
  }
  for (const [name, field] of map.defaults) {
    isChanged ||= kept[name] === undefined;
    kept[name] ??= field;
  }
  return isChanged ? inOrder(kept) : value;
}

function inOrder(fields: Fields): Fields {
  const ordered: Fields = {};
  for (const name of Object.keys(fields).sort()) ordered[name] = fields[name];
  return ordered;
}
