import type { DeleteOptions } from '../../../k8s/client.ts';
import type { Kind } from './kinds.ts';
import type { KubeObject } from './kube-object.ts';
import { conflict } from './refusals.ts';

/** Finalizers that the garbage collector takes off again. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** The object as a deletion leaves it; undefined where it goes at once. Throws where it is not the one that is meant. */
export function deleted(
  { resource }: Kind,
  existing: KubeObject,
  { uid, resourceVersion, propagationPolicy = 'Background' }: DeleteOptions,
  time: string,
): KubeObject | undefined {
  const { metadata } = existing;
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`;
    throw conflict(resource, metadata.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const seen = `(${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion})`;
    throw conflict(resource, metadata.name, `the ResourceVersion in the precondition ${seen}`);
  }
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FOREGROUND && finalizer !== ORPHAN);
  const own = { Background: [], Foreground: [FOREGROUND], Orphan: [ORPHAN] }[propagationPolicy];
  const finalizers = [...others, ...own];
  if (finalizers.length === 0) return undefined;
  if (metadata.deletionTimestamp !== undefined) return { ...existing, metadata: { ...metadata, finalizers } };
  const generation = metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
  return {
    ...existing,
    metadata: { ...metadata, ...generation, finalizers, deletionTimestamp: time, deletionGracePeriodSeconds: 0 },
  };
}

/** Whether the change took the last finalizer off an object that is being deleted. */
export function isReleased({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}
