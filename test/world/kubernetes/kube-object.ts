import type { ObjectMeta } from '../../../k8s/object-meta.ts';

/** An object as the API server keeps it: of any kind, so that all but its identity is unknown. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: KubeMeta;
  [field: string]: unknown;
}

/** Metadata of an object of any kind: one of a cluster's own kinds has no namespace, and some kinds count no generation. */
export interface KubeMeta extends Omit<ObjectMeta, 'namespace' | 'generation' | 'managedFields'> {
  namespace?: string;
  generation?: number;
  deletionGracePeriodSeconds?: number;
  managedFields?: ManagedFieldsEntry[];
}

/** The fields that one manager wrote in one way, as `metadata.managedFields` tells them. */
export interface ManagedFieldsEntry {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  /** RFC 3339. */
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: object;
  subresource?: string;
}

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Objects that nobody changes any more. */
const FIXED = new WeakSet<object>();

/**
 * The object itself, which nobody changes any more.
 *
 * @param isFrozen who tries to change it fails
 */
export function fixed<T extends object>(object: T, isFrozen: boolean): T {
  FIXED.add(object);
  if (isFrozen) freeze(object);
  return object;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  for (const name in value) freeze((value as Fields)[name]);
  Object.freeze(value);
}

/** A copy as it comes over the wire: what is undefined is left out. */
export function copyOf<T>(value: T): T {
  return copied(value) as T;
}

/**
 * As {@link copyOf}, for who only reads. Of an object that nobody can change it is a shallow copy: who receives it may drop
 * what he does not read of its metadata and its status.
 */
export function handedOut<T>(value: T): T {
  return handed(value) as T;
}

function handed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => handed(item) ?? null);
  if (!isFields(value)) return value;
  return FIXED.has(value) ? shallow(value) : fieldsOf(value, handed);
}

function shallow(object: Fields): Fields {
  const { metadata, status } = object;
  const copy = { ...object };
  if (isFields(metadata)) copy['metadata'] = { ...metadata };
  if (isFields(status)) copy['status'] = { ...status };
  return copy;
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => copied(item) ?? null);
  return isFields(value) ? fieldsOf(value, copied) : value;
}

function fieldsOf(value: Fields, copyField: (field: unknown) => unknown): Fields {
  const copy: Fields = {};
  // One of the busiest lines of a simulation: without a list of all entries.
  for (const name in value) {
    const field = value[name];
    if (field !== undefined) copy[name] = copyField(field);
  }
  return copy;
}
