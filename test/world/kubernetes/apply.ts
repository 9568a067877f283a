import { isDeepStrictEqual } from 'node:util';
import { compareFields, type Comparison } from './compare-fields.ts';
import type { FieldSchema } from './field-schema.ts';
import {
  describePath,
  difference,
  intersect,
  intersection,
  isSubset,
  pathOf,
  union,
  without,
  type FieldPath,
} from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { fieldsOf, withNamedFields } from './fields-of.ts';
import type { Fields } from './kube-object.ts';
import { writerKey, type Managed, type Managers, type Writer } from './managed-fields.ts';
import { mergeFields } from './merge-fields.ts';
import { removeFields, withoutNulls } from './remove-fields.ts';
import { given } from '../../../providers/given.ts';

/** One write, as far as it bears on who owns what. */
export interface OwnedWrite {
  readonly writer: Writer;
  readonly schema: FieldSchema;
  /** What this endpoint does not write, whatever is sent to it. */
  readonly reset: readonly FieldPath[];
  /** What is nobody's after it. */
  readonly unowned?: readonly FieldPath[];
  /** RFC 3339. */
  readonly time: string;
}

export interface Applied {
  readonly object: Fields;
  /** The object with null in place of each map and list that is emptied; undefined where none is. */
  readonly emptied?: Fields;
  readonly managers: Managers;
}

/** Fields that others own with another value, where they are not to be taken over: `manager` and path, as people write it. */
export class FieldConflicts extends Error {
  readonly conflicts: readonly string[];

  constructor(conflicts: readonly string[]) {
    super(`Apply failed with ${conflicts.length} conflicts: ${conflicts.join(', ')}`);
    this.conflicts = conflicts;
  }
}

/** Nobody owns what the API server itself sees to. */
const UNOWNED: FieldSet = new Set([
  pathOf('apiVersion'),
  pathOf('kind'),
  pathOf('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => pathOf('metadata', name)),
]);

/**
 * Server-side apply, as structured-merge-diff does it: what the manager applied before and leaves out now goes, where nobody
 * else owns it; what it takes from others is theirs no more.
 *
 * @param live without its managedFields
 */
export function applyFields(
  live: Fields,
  config: Fields,
  managers: Managers,
  write: OwnedWrite,
  force: boolean,
): Applied {
  const { writer, schema, reset, time } = write;
  const key = writerKey(writer);
  const last = managers.get(key);
  const fields = without(fieldsOf(config, schema), reset);
  const merged = mergeFields(live, config, schema);
  const withOurs = new Map(managers).set(key, { ...writer, time, fields });
  const leavesOut = last !== undefined && !isSubset(last.fields, fields);
  // Where it is emptied, what others own of it is theirs still.
  const pruned = (leavesOut ? prune(merged, last.fields, withOurs, schema) : merged) as Fields;
  const comparison = written(compareFields(live, pruned, schema), reset);
  const object = leavesOut ? (withoutNulls(pruned) as Fields) : pruned;
  const taken = union(comparison.added, comparison.modified);
  if (!force) refuseConflicts(withOurs, key, taken);
  const left = mapFields(withOurs, (managed, at) => (at === key ? managed.fields : lose(managed.fields, comparison)));
  const changed = !isDeepStrictEqual(live, object);
  const ours = {
    ...writer,
    time: changed || last === undefined ? time : last.time,
    fields: asBefore(difference(fields, UNOWNED), last),
  };
  return { object, managers: kept(left.set(key, ours)), ...given({ emptied: object === pruned ? undefined : pruned }) };
}

/** Every other write: whoever changed a field owns it, alone. */
export function trackUpdate(live: Fields, next: Fields, managers: Managers, write: OwnedWrite): Managers {
  const { writer, schema, reset, unowned = [], time } = write;
  const comparison = written(compareFields(live, next, schema), reset);
  const left = mapFields(managers, ({ fields }) => lose(fields, comparison));
  const own = difference(without(union(comparison.added, comparison.modified), unowned), UNOWNED);
  if (own.size > 0) {
    const key = writerKey(writer);
    const last = left.get(key);
    left.set(key, { ...writer, time, fields: asBefore(union(last?.fields ?? new Set(), own), last) });
  }
  return kept(left);
}

function prune(merged: unknown, last: FieldSet, managers: Managers, schema: FieldSchema): unknown {
  const named = (set: FieldSet) => withNamedFields(set, schema);
  const all = named(fieldsOf(merged, schema));
  const bare = removeFields(merged, named(last), schema);
  const owned = union(...[...managers.values()].map(({ fields }) => fields));
  const kept = union(named(fieldsOf(bare, schema)), named(owned));
  const withOwned = removeFields(merged, difference(all, kept), schema);
  // What the manager did not apply before is not its to remove.
  const gone = intersection(difference(all, named(fieldsOf(withOwned, schema))), named(last));
  return removeFields(merged, gone, schema);
}

function refuseConflicts(managers: Managers, own: string, taken: FieldSet): void {
  const conflicts = [...managers]
    .filter(([key]) => key !== own)
    .flatMap(([, { manager, fields }]) =>
      [...intersection(fields, taken)].map((path) => `conflict with "${manager}": ${describePath(path)}`),
    );
  if (conflicts.length > 0) throw new FieldConflicts(conflicts);
}

/** Without what the endpoint does not write. */
function written({ added, modified, removed }: Comparison, reset: readonly FieldPath[]): Comparison {
  return { added: without(added, reset), modified: without(modified, reset), removed: without(removed, reset) };
}

/** The same set where nothing is lost. */
function lose(fields: FieldSet, { added, modified, removed }: Comparison): FieldSet {
  const lost = [added, modified, removed].some((changed) => intersect(fields, changed));
  return lost ? difference(fields, union(added, modified, removed)) : fields;
}

/** Where a manager owns what it owned before, the set is the same one: it was spelt out already. */
function asBefore(fields: FieldSet, last: Managed | undefined): FieldSet {
  return last !== undefined && last.fields.size === fields.size && isSubset(fields, last.fields) ? last.fields : fields;
}

function mapFields(managers: Managers, change: (managed: Managed, key: string) => FieldSet): Map<string, Managed> {
  const changed = ([key, managed]: [string, Managed]): [string, Managed] => {
    const fields = change(managed, key);
    return [key, fields === managed.fields ? managed : { ...managed, fields }];
  };
  return new Map(Array.from(managers, changed));
}

function kept(managers: Managers): Managers {
  return new Map([...managers].filter(([, { fields }]) => fields.size > 0));
}
