import { isFields, type Fields } from './kube-object.ts';
import type { ListSchema } from './field-schema.ts';

/**
 * A place in an object: the elements of its path as `fieldsV1` spells them (`f:spec`, `k:{"type":"Ready"}`, `v:"x"`), each
 * after a line break, which no element has.
 */
export type FieldPath = string;
export type FieldSet = ReadonlySet<FieldPath>;

export const ROOT: FieldPath = '';
const BREAK = '\n';

export function atField(path: FieldPath, name: string): FieldPath {
  return `${path}${BREAK}f:${name}`;
}

export function atItem(path: FieldPath, { keys }: ListSchema, item: unknown): FieldPath {
  return `${path}${BREAK}${elementOf(keys, item)}`;
}

/** What tells an item from the others of its list. */
export function elementOf(keys: ListSchema['keys'], item: unknown): string {
  if (keys === 'value') return `v:${JSON.stringify(item)}`;
  const fields = isFields(item) ? item : {};
  const own = [...keys].sort().flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]]));
  return `k:${JSON.stringify(Object.fromEntries(own))}`;
}

/** The path of named fields, e.g. `spec.providerID`. */
export function pathOf(...names: readonly string[]): FieldPath {
  return names.reduce(atField, ROOT);
}

/** As people write it, e.g. `.spec.providerID`. */
export function describePath(path: FieldPath): string {
  return path
    .split(BREAK)
    .slice(1)
    .map((element) => (element.startsWith('f:') ? `.${element.slice(2)}` : `[${element.slice(2)}]`))
    .join('');
}

export function union(...sets: readonly FieldSet[]): Set<FieldPath> {
  return new Set(sets.flatMap((set) => [...set]));
}

export function difference(set: FieldSet, other: FieldSet): Set<FieldPath> {
  return new Set([...set].filter((path) => !other.has(path)));
}

export function isSubset(set: FieldSet, of: FieldSet): boolean {
  for (const path of set) if (!of.has(path)) return false;
  return true;
}

export function intersect(set: FieldSet, other: FieldSet): boolean {
  for (const path of set) if (other.has(path)) return true;
  return false;
}

export function intersection(set: FieldSet, other: FieldSet): Set<FieldPath> {
  return new Set([...set].filter((path) => other.has(path)));
}

/** Without everything at and below these paths. */
export function without(set: FieldSet, roots: readonly FieldPath[]): Set<FieldPath> {
  const below = roots.map((root) => `${root}${BREAK}`);
  return new Set([...set].filter((path) => !roots.includes(path) && !below.some((start) => path.startsWith(start))));
}

/** A set as nested fields: by element; `isMember` where the path that ends there is one of the set. */
export interface FieldTree {
  isMember: boolean;
  readonly children: Map<string, FieldTree>;
}

export function treeOf(set: FieldSet): FieldTree {
  const root: FieldTree = { isMember: false, children: new Map() };
  for (const path of set) {
    let node = root;
    for (const element of path.split(BREAK).slice(1)) {
      const child = node.children.get(element) ?? { isMember: false, children: new Map() };
      node.children.set(element, child);
      node = child;
    }
    node.isMember = true;
  }
  return root;
}

/** Both ways, of sets that were spelt out before: most of an object's managers are the same after a write. */
const spelt = new WeakMap<FieldSet, Fields>();
const read = new WeakMap<object, FieldSet>();

export function toFieldsV1(set: FieldSet): Fields {
  const known = spelt.get(set);
  if (known !== undefined) return known;
  const fields = toFields(treeOf(set));
  spelt.set(set, fields);
  read.set(fields, set);
  return fields;
}

function toFields({ isMember, children }: FieldTree): Fields {
  const fields: Fields = {};
  if (isMember && children.size > 0) fields['.'] = {};
  for (const [element, child] of [...children].sort(([a], [b]) => (a < b ? -1 : 1))) fields[element] = toFields(child);
  return fields;
}

export function fromFieldsV1(fields: object): FieldSet {
  const known = read.get(fields);
  if (known !== undefined) return known;
  const set = new Set<FieldPath>();
  const visit = (node: unknown, path: FieldPath) => {
    const children = isFields(node) ? Object.entries(node) : [];
    if (path !== ROOT && (children.length === 0 || children.some(([element]) => element === '.'))) set.add(path);
    for (const [element, child] of children) if (element !== '.') visit(child, `${path}${BREAK}${element}`);
  };
  visit(fields, ROOT);
  read.set(fields, set);
  spelt.set(set, fields as Fields);
  return set;
}
