import { KubeError } from '../../../k8s/kube-error.ts';
import { applyFields, FieldConflicts, trackUpdate, type OwnedWrite } from './apply.ts';
import { mistake } from './faults.ts';
import { pathOf, type FieldPath } from './field-set.ts';
import { jsonPatch, PatchStepFailed, type PatchStep } from './json-patch.ts';
import type { Kind } from './kinds.ts';
import { copyOf, isFields, type Fields, type KubeMeta, type KubeObject } from './kube-object.ts';
import { readManagers, writeManagers, type Managers } from './managed-fields.ts';
import { mergePatch } from './merge-patch.ts';
import {
  changedObject,
  isNoChange,
  newObject,
  readable,
  refuseFaults,
  refuseName,
  refuseNamespace,
  withoutEmpty,
  type Birth,
  type Part,
} from './object-rules.ts';
import { conflict, invalid, refusedPatch } from './refusals.ts';
import { REPLICAS, scaleOf, unownedOfScale, withReplicas } from './scale.ts';
import { given } from '../../../providers/given.ts';

/** How a change is written: by whom, through which endpoint, when (RFC 3339). */
export interface Write {
  readonly manager: string;
  readonly subresource?: 'status' | 'scale';
  readonly time: string;
}

/** Each function takes a stored object and answers what is to be stored; none changes what it is given. */

export function created(kind: Kind, body: object, birth: Birth, write: Write): KubeObject {
  const given = copyOf(body) as Fields;
  const object = newObject(kind, given, birth);
  return withManagers(object, trackUpdate(emptyOf(kind, object), bare(object), managersOf(given), owned(kind, write)));
}

export function merged(kind: Kind, existing: KubeObject, body: object, write: Write): KubeObject {
  if (write.subresource === 'scale') {
    const scale = mergePatch(scaleOf(existing), copyOf(body));
    return updated(kind, existing, withReplicas(existing, scale), write, unownedOfScale(scale));
  }
  return updated(kind, existing, mergePatch(existing, copyOf(body)) as KubeObject, write);
}

export function patched(kind: Kind, existing: KubeObject, steps: readonly PatchStep[], write: Write): KubeObject {
  try {
    return updated(kind, existing, jsonPatch(existing, copyOf(steps)) as KubeObject, write);
  } catch (error) {
    if (!(error instanceof PatchStepFailed)) throw error;
    throw refusedPatch(error.message);
  }
}

/** @param existing undefined: it is created */
export function applied(
  kind: Kind,
  existing: KubeObject | undefined,
  body: object,
  { force, birth, ...write }: Write & { readonly force: boolean; readonly birth: Birth },
): KubeObject {
  const { resource } = kind;
  const config: Fields = { ...copyOf(body), apiVersion: resource.apiVersion, kind: resource.kind };
  const undeclared = mistake(config, kind.demands?.whole);
  if (undeclared !== undefined) {
    const message = `failed to create typed patch object: ${undeclared}`;
    // The API server gives this one no reason: a client has the status only.
    throw new KubeError(500, '500', message);
  }
  if (existing === undefined) {
    const metadata = isFields(config['metadata']) ? config['metadata'] : {};
    if (metadata['uid'] !== undefined) {
      const why = `uid mismatch: the provided object specified uid ${JSON.stringify(metadata['uid'])}, and no existing object was found`;
      throw conflict(resource, birth.name, why);
    }
    refuseName(metadata['name'], birth.name);
    refuseNamespace(kind, metadata['namespace'], birth.namespace);
    // A version is no precondition of an object that is not there.
    const { resourceVersion: _none, ...own } = metadata;
    const object = newObject(kind, { ...config, metadata: own }, birth);
    const { managers } = applyFields({}, config, new Map(), owned(kind, write, 'Apply'), true);
    return withManagers(object, managers);
  }
  const live = bare(existing);
  const result = resolving(kind, birth.name, () =>
    applyFields(live, config, managersBefore(kind, existing, write), owned(kind, write, 'Apply'), force),
  );
  const wanted = withManagers(tidied(result.object as KubeObject), result.managers);
  const next = changedObject(kind, existing, wanted, partOf(write));
  if (result.emptied !== undefined) refuseFaults(kind, birth.name, result.emptied, partOf(write));
  return unlessSame(existing, next);
}

function resolving<T>({ resource }: Kind, name: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof FieldConflicts) throw conflict(resource, name, error.message);
    throw error;
  }
}

/** @param unowned fields that are nobody's after this write */
function updated(
  kind: Kind,
  existing: KubeObject,
  asked: KubeObject,
  write: Write,
  unowned: readonly FieldPath[] = [],
): KubeObject {
  if (!isFields(asked.metadata)) throw invalid(kind.resource, existing.metadata.name, 'metadata is missing');
  const { metadata, apiVersion, kind: name } = asked;
  const wanted = tidied({ ...readable(kind, asked), apiVersion, kind: name, metadata });
  const before = managersOf(existing);
  const by = { ...owned(kind, write), unowned };
  const managers = isTracked(before, write) ? trackUpdate(bare(existing), bare(wanted), before, by) : before;
  return unlessSame(existing, changedObject(kind, existing, withManagers(wanted, managers), partOf(write)));
}

/**
 * Where nobody owns anything, only what is applied is tracked. Of an object's managers a write through its scale sees those of
 * the replicas.
 */
function isTracked(managers: Managers, { subresource }: Write): boolean {
  if (subresource !== 'scale') return managers.size > 0;
  return [...managers.values()].some(({ fields }) => fields.has(REPLICAS));
}

function unlessSame(existing: KubeObject, next: KubeObject): KubeObject {
  return isNoChange(existing, next) ? existing : next;
}

function partOf({ subresource }: Write): Part {
  return subresource === 'status' ? 'status' : 'main';
}

function owned(
  kind: Kind,
  { manager, subresource, time }: Write,
  operation: 'Apply' | 'Update' = 'Update',
): OwnedWrite {
  const { apiVersion } = kind.resource;
  const writer = { manager, operation, apiVersion, ...given({ subresource }) };
  const status = [pathOf('status')];
  const main = kind.isCustom ? [pathOf('metadata'), pathOf('spec')] : [pathOf('spec')];
  const reset = subresource === 'status' ? main : kind.hasStatus ? status : [];
  return { writer, schema: kind.schema, reset, time };
}

function managersOf(object: Fields): Managers {
  const { managedFields } = (isFields(object['metadata']) ? object['metadata'] : {}) as Partial<KubeMeta>;
  return readManagers(managedFields);
}

/** What nobody owned before the first apply is somebody's from then on, as far as this endpoint writes it. */
function managersBefore(kind: Kind, existing: KubeObject, write: Write): Managers {
  const managers = managersOf(existing);
  if (managers.size > 0) return managers;
  const before = owned(kind, { ...write, manager: 'before-first-apply' });
  return trackUpdate(emptyOf(kind, existing), bare(existing), managers, before);
}

/** A built-in object has its parts from the start. */
function emptyOf({ isCustom }: Kind, object: Fields): Fields {
  if (isCustom) return {};
  return Object.fromEntries(
    ['spec', 'status', 'source'].flatMap((part) => (object[part] === undefined ? [] : [[part, {}]])),
  );
}

function tidied(object: KubeObject): KubeObject {
  return { ...object, metadata: withoutEmpty(object.metadata) };
}

function bare(object: KubeObject): Fields {
  const { managedFields: _none, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withManagers(object: KubeObject, managers: Managers): KubeObject {
  const { managedFields: _none, ...metadata } = object.metadata;
  return managers.size === 0
    ? { ...object, metadata }
    : { ...object, metadata: { ...metadata, managedFields: writeManagers(managers) } };
}
