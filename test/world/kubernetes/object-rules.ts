import { isDeepStrictEqual } from 'node:util';
import { KubeError } from '../../../k8s/kube-error.ts';
import { refuseByPolicies } from './admission.ts';
import { faultIn } from './faults.ts';
import { pruned } from './field-schema.ts';
import type { Kind } from './kinds.ts';
import { isFields, type Fields, type KubeMeta, type KubeObject } from './kube-object.ts';
import { badRequest, conflict, invalid } from './refusals.ts';
import { given, unlessEmpty } from '../../../providers/given.ts';

/** Which part of an object a request writes. */
export type Part = 'main' | 'status';

/** What the API server itself gives a new object. */
export interface Birth {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  /** RFC 3339. */
  readonly time: string;
}

/** An object as it is stored first: its identity is not for the client to choose, and it has no status. */
export function newObject(kind: Kind, wanted: Fields, birth: Birth): KubeObject {
  const { resource } = kind;
  const { status, ...parts } = readable(kind, wanted);
  const asked = isFields(wanted['metadata']) ? wanted['metadata'] : {};
  const { deletionTimestamp: _d, deletionGracePeriodSeconds: _g, resourceVersion: _r, generation: _n, ...own } = asked;
  const metadata: KubeMeta = withoutEmpty({
    ...own,
    name: birth.name,
    ...given({ namespace: birth.namespace }),
    uid: birth.uid,
    creationTimestamp: birth.time,
    resourceVersion: '',
    ...given({ generation: kind.countsGenerations ? 1 : undefined }),
  });
  const hasStatus = status !== undefined && !kind.isCustom;
  const object = { ...parts, apiVersion: resource.apiVersion, kind: resource.kind, metadata };
  refuseOwners(kind, metadata);
  refuseFaults(kind, birth.name, object, 'main');
  if ((asked['resourceVersion'] ?? '') !== '') {
    throw new KubeError(500, '500', 'resourceVersion should not be set on objects to be created');
  }
  return hasStatus ? { ...object, status } : object;
}

/**
 * A stored object after a change: what this part does not write stays, as does what nobody may change. Throws what the API
 * server refuses.
 */
export function changedObject(kind: Kind, existing: KubeObject, wanted: KubeObject, part: Part): KubeObject {
  const { resource } = kind;
  const { name } = existing.metadata;
  refuseName(wanted.metadata.name, name);
  refuseNamespace(kind, wanted.metadata.namespace, existing.metadata.namespace);
  if (wanted.metadata.resourceVersion !== existing.metadata.resourceVersion) {
    const why = 'the object has been modified; please apply your changes to the latest version and try again';
    throw conflict(resource, name, why);
  }
  const proposed = part === 'status' ? statusOnly(kind, existing, wanted) : mainOnly(kind, existing, wanted);
  const metadata = metadataAfter(kind, existing, proposed);
  const isNewSpec = part === 'main' && kind.countsGenerations && !isSameSpec(kind, existing, proposed);
  if (isNewSpec) refuseFaults(kind, name, proposed, 'main');
  if (part === 'status' && proposed['status'] !== existing['status']) refuseFaults(kind, name, proposed, 'status');
  if (isNewSpec) refuseByPolicies(kind, existing, { ...proposed, metadata });
  const generation = (existing.metadata.generation ?? 0) + (isNewSpec ? 1 : 0);
  return { ...proposed, metadata: { ...metadata, ...given({ generation: generation || undefined }) } };
}

/** What is written says its own name, and that is the one on the URL. */
export function refuseName(own: unknown, name: string): void {
  if (own === name) return;
  throw badRequest(
    typeof own === 'string' && own !== ''
      ? `the name of the object (${own}) does not match the name on the URL (${name})`
      : `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

export function refuseNamespace({ resource }: Kind, own: unknown, namespace: string | undefined): void {
  if (!resource.namespaced || own === undefined || own === namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** The API server reads metadata into a type of its own, where an empty list or map is none. */
export function withoutEmpty(metadata: KubeMeta): KubeMeta {
  const kept = { ...metadata };
  for (const name of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (isDeepStrictEqual(kept[name], {}) || isDeepStrictEqual(kept[name], [])) delete kept[name];
  }
  return kept;
}

/** Whether nothing was changed but the times at which managers wrote: then nothing is written. */
export function isNoChange(existing: KubeObject, next: KubeObject): boolean {
  return isDeepStrictEqual(withoutTimes(existing), withoutTimes(next));
}

/** As the API server reads it: of a custom resource what its definition knows, with defaults. */
export function readable(kind: Kind, written: Fields): Fields {
  if (kind.isCustom) return pruned(written, kind.schema) as Fields;
  if (kind.resource.kind !== 'Secret') return written;
  const { stringData, data, ...rest } = written;
  const texts = isFields(stringData) ? Object.entries(stringData) : [];
  const encoded = texts.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  const all = { ...(isFields(data) ? data : {}), ...Object.fromEntries(encoded) };
  return { type: 'Opaque', ...rest, ...given({ data: unlessEmpty(all) }) };
}

function mainOnly(kind: Kind, existing: KubeObject, wanted: KubeObject): KubeObject {
  const next = { ...readable(kind, wanted), apiVersion: existing.apiVersion, kind: existing.kind };
  const proposed: KubeObject = { ...next, metadata: wanted.metadata };
  if (!kind.hasStatus) return proposed;
  const { status: _ignored, ...rest } = proposed;
  const { status } = existing;
  return {
    ...rest,
    apiVersion: existing.apiVersion,
    kind: existing.kind,
    metadata: wanted.metadata,
    ...given({ status }),
  };
}

/** Of a custom resource it is the status alone that counts: not even a uid that is not this object's is looked at. */
function statusOnly(kind: Kind, existing: KubeObject, wanted: KubeObject): KubeObject {
  const { status: _old, ...rest } = existing;
  const { status } = readable(kind, wanted);
  const metadata = kind.isCustom ? { ...existing.metadata } : wanted.metadata;
  const { managedFields } = wanted.metadata;
  const proposed = { ...rest, apiVersion: existing.apiVersion, kind: existing.kind };
  return {
    ...proposed,
    metadata: { ...metadata, ...given({ managedFields }) },
    ...given({ status }),
  };
}

function metadataAfter(kind: Kind, existing: KubeObject, proposed: KubeObject): KubeMeta {
  const { metadata: old } = existing;
  const { metadata: asked } = proposed;
  const { resource } = kind;
  const { deletionTimestamp, deletionGracePeriodSeconds } = old;
  if ((asked.uid ?? old.uid) !== old.uid) {
    throw conflict(resource, old.name, `metadata.uid: Invalid value: "${asked.uid}": field is immutable`);
  }
  if (deletionTimestamp === undefined && asked.deletionTimestamp !== undefined) {
    throw invalid(resource, old.name, 'metadata.deletionTimestamp: Invalid value: field is immutable');
  }
  const extra = (asked.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer));
  if (deletionTimestamp !== undefined && extra.length > 0) {
    const why = 'no new finalizers can be added if the object is being deleted, found new finalizers';
    throw invalid(resource, old.name, `metadata.finalizers: Forbidden: ${why} ${extra.join(', ')}`);
  }
  refuseOwners(kind, asked);
  return {
    ...asked,
    uid: old.uid,
    creationTimestamp: old.creationTimestamp,
    ...given({ deletionTimestamp, deletionGracePeriodSeconds }),
  };
}

/** Refuses what its definition finds wrong with what is written. */
export function refuseFaults({ demands, resource }: Kind, name: string, object: Fields, written: Part): void {
  const fault = demands && faultIn(object, demands[written]);
  // A path begins with a dot.
  if (fault !== undefined) throw invalid(resource, name, fault.slice(1));
}

function refuseOwners(
  { resource }: Kind,
  { name, ownerReferences = [] }: Pick<KubeMeta, 'name' | 'ownerReferences'>,
): void {
  if (ownerReferences.filter(({ controller }) => controller === true).length < 2) return;
  const why = 'metadata.ownerReferences: Invalid value: Only one reference can have Controller set to true';
  throw invalid(resource, name, why);
}

function isSameSpec({ isCustom }: Kind, existing: KubeObject, proposed: KubeObject): boolean {
  if (!isCustom) return isDeepStrictEqual(existing['spec'], proposed['spec']);
  const { metadata: _old, ...before } = existing;
  const { metadata: _new, ...after } = proposed;
  return isDeepStrictEqual(before, after);
}

function withoutTimes({ metadata, ...rest }: KubeObject): object {
  const managedFields = (metadata.managedFields ?? []).map((entry) => ({ ...entry, time: '' }));
  return { ...rest, metadata: { ...metadata, managedFields } };
}
