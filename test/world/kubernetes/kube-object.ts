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

/** A copy as it comes back from the wire: what is undefined is left out. */
export function copyOf<T>(value: T): T {
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => copied(item) ?? null);
  if (!isFields(value)) return value;
  const copy: Fields = {};
  // One of the busiest lines of a simulation: without a list of all entries.
  for (const name in value) {
    const field = value[name];
    if (field !== undefined) copy[name] = copied(field);
  }
  return copy;
}
