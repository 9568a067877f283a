import { hash } from 'node:crypto';
import type { Kinds, Role } from '../../k8s/dialects/kind.ts';
import type { Reading } from '../../k8s/model/reading.ts';

/** What Millwright itself writes of an object's metadata. */
type Own = Pick<Kinds[Role], 'own' | 'finalizer'>;

/** What others write of an object: where it stays the same, the object's own workflow has no reason to look. */
export function fingerprintOf({ meta, wanted }: Pick<Reading, 'meta' | 'wanted'>, kind: Own): string {
  return digest([
    wanted,
    meta.deletedAt !== undefined,
    Object.entries(foreignLabels(meta.labels, kind)),
    Object.entries(meta.annotations).filter(([key]) => !kind.own.annotations.has(key)),
    meta.finalizers.filter((finalizer) => finalizer !== kind.finalizer),
  ]);
}

export function foreignLabels(labels: Readonly<Record<string, string>>, { own }: Own): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !own.labels.has(key)));
}

/** Short and equal for equal values. The API server answers maps in one order, so no sorting is needed. */
export function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);
}
