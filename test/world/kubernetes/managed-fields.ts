import { fromFieldsV1, toFieldsV1, type FieldPath } from './field-set.ts';
import type { ManagedFieldsEntry } from './kube-object.ts';
import { given } from '../../../providers/given.ts';

/** Who writes: each manager has one entry for each way in which it writes. */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface Managed extends Writer {
  readonly time: string;
  readonly fields: ReadonlySet<FieldPath>;
}

/** Who wrote which fields, by {@link writerKey}. */
export type Managers = ReadonlyMap<string, Managed>;

export function writerKey({ manager, operation, apiVersion, subresource = '' }: Writer): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** Both ways: most of an object's managers are the same after a write. */
const read = new WeakMap<ManagedFieldsEntry, readonly [key: string, managed: Managed]>();
const written = new WeakMap<Managed, ManagedFieldsEntry>();

export function readManagers(entries: readonly ManagedFieldsEntry[] = []): Map<string, Managed> {
  return new Map(entries.map(readManager));
}

function readManager(entry: ManagedFieldsEntry): readonly [key: string, managed: Managed] {
  const known = read.get(entry);
  if (known !== undefined) return known;
  const { manager, operation, apiVersion, time, fieldsV1, subresource } = entry;
  const managed = { manager, operation, apiVersion, time, fields: fromFieldsV1(fieldsV1), ...given({ subresource }) };
  const keyed = [writerKey(managed), managed] as const;
  read.set(entry, keyed);
  written.set(managed, entry);
  return keyed;
}

/** In the order of the API server: who applies first, then by time. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()]
    .filter(({ fields }) => fields.size > 0)
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .map(writeManager);
}

function writeManager(managed: Managed): ManagedFieldsEntry {
  const known = written.get(managed);
  if (known !== undefined) return known;
  const { manager, operation, apiVersion, time, fields, subresource } = managed;
  const entry: ManagedFieldsEntry = {
    manager,
    operation,
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...given({ subresource }),
  };
  written.set(managed, entry);
  return entry;
}

function orderOf({ operation, time, manager, apiVersion, subresource = '' }: Managed): string {
  return [operation, time, manager, apiVersion, subresource].join('\n');
}
