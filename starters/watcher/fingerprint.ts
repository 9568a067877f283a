import { createHash } from 'node:crypto';
import type { ObjectMeta } from '../../k8s/object-meta.ts';
import {
  FINALIZER,
  INSTANCE_STATE_ANNOTATION,
  INSTANCE_TYPE_LABEL,
  INTERRUPTIBLE_LABEL,
  REGION_LABEL,
  ZONE_LABEL,
} from '../../k8s/model/labels.ts';

/** Labels that Millwright writes on Machines. */
const OUR_LABELS: ReadonlySet<string> = new Set([REGION_LABEL, ZONE_LABEL, INSTANCE_TYPE_LABEL, INTERRUPTIBLE_LABEL]);

/** What others write of an object: where it stays the same, the object's own workflow has no reason to look. */
export function fingerprintOf(metadata: Partial<ObjectMeta>, spec: unknown): string {
  return digest([
    spec,
    metadata.deletionTimestamp !== undefined,
    Object.entries(foreignLabels(metadata.labels)),
    Object.entries(metadata.annotations ?? {}).filter(([key]) => key !== INSTANCE_STATE_ANNOTATION),
    (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER),
  ]);
}

/**
 * What a fingerprint has besides where a status cannot be read: all of it, so that it is noticed when somebody mends it. The
 * workflow writes no such status, and so does not wake itself.
 */
export function unreadableOf(problems: { readonly status?: string }, status: unknown): string {
  return problems.status === undefined ? '' : ` ${digest([status])}`;
}

export function foreignLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !OUR_LABELS.has(key)));
}

/** Short and equal for equal values. The API server answers maps in one order, so no sorting is needed. */
export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
