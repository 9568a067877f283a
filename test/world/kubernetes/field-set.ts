import { isFields, type Fields } from './kube-object.ts';
import type { ListSchema } from './field-schema.ts';

/**
 * A place in an object. There is one of each, whoever asks for it: sets of them are looked up by the place itself, and not by
 * how it is spelt.
 */
export class FieldPath {
  /** Undefined: it is the object itself. */
  readonly parent: FieldPath | undefined;
  /** The last element, as `fieldsV1` spells it: `f:spec`, `k:{"type":"Ready"}`, `v:"x"`. */
  readonly element: string;
  /** Of the field; undefined: it is an item of a list. */
  readonly name: string | undefined;
  readonly #fields = new Map<string, FieldPath>();
  readonly #items = new Map<string, FieldPath>();

  constructor(parent: FieldPath | undefined, element: string, name: string | undefined) {
    this.parent = parent;
    this.element = element;
    this.name = name;
  }

  field(name: string): FieldPath {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const path = new FieldPath(this, `f:${name}`, name);
    this.#fields.set(name, path);
    return path;
  }

  /** @param element what tells the item from the others: {@link elementOf} */
  item(element: string): FieldPath {
    const known = this.#items.get(element);
    if (known !== undefined) return known;
    const path = new FieldPath(this, element, undefined);
    this.#items.set(element, path);
    return path;
  }
}

export type FieldSet = ReadonlySet<FieldPath>;

export const ROOT = new FieldPath(undefined, '', undefined);

/** What tells an item from the others of its list. */
export function elementOf(keys: ListSchema['keys'], item: unknown): string {
  if (keys === 'value') return `v:${JSON.stringify(item)}`;
  const fields = isFields(item) ? item : {};
  const own = [...keys].sort().flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]]));
  return `k:${JSON.stringify(Object.fromEntries(own))}`;
}

/** The path of named fields, e.g. `spec.providerID`. */
export function pathOf(...names: readonly string[]): FieldPath {
  return names.reduce((path, name) => path.field(name), ROOT);
}

/** As people write it, e.g. `.spec.providerID`. */
export function describePath({ parent, element, name }: FieldPath): string {
  if (parent === undefined) return '';
  return describePath(parent) + (name === undefined ? `[${element.slice(2)}]` : `.${name}`);
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
  return new Set([...set].filter((path) => !isWithin(path, roots)));
}

function isWithin(path: FieldPath, roots: readonly FieldPath[]): boolean {
  for (let at: FieldPath | undefined = path; at !== undefined; at = at.parent) if (roots.includes(at)) return true;
  return false;
}

/** A set as nested fields; `isMember` where the path that ends there is one of the set. */
export interface FieldTree {
  readonly path: FieldPath;
  isMember: boolean;
  readonly children: Map<FieldPath, FieldTree>;
}

export function treeOf(set: FieldSet): FieldTree {
  const root: FieldTree = { path: ROOT, isMember: false, children: new Map() };
  const trees = new Map([[ROOT, root]]);
  const treeAt = (path: FieldPath): FieldTree => {
    const known = trees.get(path);
    if (known !== undefined) return known;
    const tree: FieldTree = { path, isMember: false, children: new Map() };
    trees.set(path, tree);
    treeAt(path.parent ?? ROOT).children.set(path, tree);
    return tree;
  };
  for (const path of set) treeAt(path).isMember = true;
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
  const sorted = [...children.values()].sort((a, b) => (a.path.element < b.path.element ? -1 : 1));
  for (const child of sorted) fields[child.path.element] = toFields(child);
  return fields;
}

export function fromFieldsV1(fields: object): FieldSet {
  const known = read.get(fields);
  if (known !== undefined) return known;
  const set = new Set<FieldPath>();
  const visit = (node: unknown, path: FieldPath) => {
    const children = isFields(node) ? Object.entries(node) : [];
    const isMember = children.length === 0 || children.some(([element]) => element === '.');
    if (path !== ROOT && isMember) set.add(path);
    for (const [element, child] of children) {
      if (element !== '.') visit(child, element.startsWith('f:') ? path.field(element.slice(2)) : path.item(element));
    }
  };
  visit(fields, ROOT);
  read.set(fields, set);
  spelt.set(set, fields as Fields);
  return set;
}
