import type { DeleteOptions } from '../../../k8s/client.ts';
import type { Kind } from './kinds.ts';
import type { KubeObject } from './kube-object.ts';
import { conflict } from './refusals.ts';
import { given } from '../../../providers/given.ts';

/** `gracePeriodSeconds`: how long the containers of a Pod may take to end. @default the Pod's own */
type PodDeleteOptions = DeleteOptions & { readonly gracePeriodSeconds?: number };

/** Finalizers that the garbage collector takes off again. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** The object as a deletion leaves it; undefined where it goes at once. Throws where it is not the one that is meant. */
export function deleted(
  { resource }: Kind,
  existing: KubeObject,
  { uid, resourceVersion, propagationPolicy = 'Background', gracePeriodSeconds }: PodDeleteOptions,
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
  const leaving = resource.kind === 'Pod' ? leavingPod(existing, gracePeriodSeconds, time) : undefined;
  if (leaving !== undefined) return leaving;
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FOREGROUND && finalizer !== ORPHAN);
  const own = { Background: [], Foreground: [FOREGROUND], Orphan: [ORPHAN] }[propagationPolicy];
  const finalizers = [...others, ...own];
  if (finalizers.length === 0) return undefined;
  if (metadata.deletionTimestamp !== undefined) return { ...existing, metadata: { ...metadata, finalizers } };
  const generation = metadata.generation === undefined ? undefined : metadata.generation + 1;
  return {
    ...existing,
    metadata: {
      ...metadata,
      ...given({ generation }),
      finalizers,
      deletionTimestamp: time,
      deletionGracePeriodSeconds: 0,
    },
  };
}

/**
 * A Pod on a Node is given time, and its kubelet takes it away; undefined: it goes at once. Who asks again may only shorten that
 * time, which counts from the first request on.
 */
function leavingPod(existing: KubeObject, asked: number | undefined, time: string): KubeObject | undefined {
  const { metadata } = existing;
  const { nodeName, terminationGracePeriodSeconds = 30 } = (existing['spec'] ?? {}) as PodSpec;
  const { phase = '' } = (existing['status'] ?? {}) as { readonly phase?: string };
  const { deletionTimestamp, deletionGracePeriodSeconds: given = 0 } = metadata;
  const runs = nodeName !== undefined && !['Succeeded', 'Failed'].includes(phase);
  const grace = runs ? (asked ?? terminationGracePeriodSeconds) : 0;
  if (deletionTimestamp === undefined && grace === 0) return undefined;
  if (deletionTimestamp !== undefined && grace >= given) return asked === 0 ? undefined : existing;
  const from = deletionTimestamp === undefined ? Date.parse(time) : Date.parse(deletionTimestamp) - given * 1000;
  const end = new Date(from + grace * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  return { ...existing, metadata: { ...metadata, deletionTimestamp: end, deletionGracePeriodSeconds: grace } };
}

interface PodSpec {
  readonly nodeName?: string;
  readonly terminationGracePeriodSeconds?: number;
}

/** Whether the change took the last finalizer off an object that is being deleted. */
export function isReleased({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}
