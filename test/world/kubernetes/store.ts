import type { Resource } from '../../../k8s/resources.ts';
import { fixed, type KubeObject } from './kube-object.ts';
import { expired } from './refusals.ts';

/** A change of one object, in the order of the versions. */
export interface Change {
  readonly version: number;
  readonly resource: Resource;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** As it is now; of one that is deleted, as it was last, with the version of the deletion. */
  readonly object: KubeObject;
  readonly previous?: KubeObject;
}

/** The objects of one kind. */
interface Kept {
  /** By namespace and name. */
  readonly objects: Map<string, KubeObject>;
  /** The same in order, where somebody asked for it since the last change. */
  listed: readonly KubeObject[] | undefined;
  /** The version of the last change. */
  changedAt: number;
}

/** One object of so many is frozen: who changes what he was given is found by these. To freeze all takes longer than to store them. */
const FROZEN_ONE_IN = 32;

/**
 * All objects and the history of their changes, on one count of versions. It keeps what it is given and hands it out: nobody
 * may change an object that is in it.
 */
export class ObjectStore {
  readonly #kinds = new Map<string, Kept>();
  /** The same by the resource itself: each request comes here. */
  readonly #byResource = new WeakMap<Resource, Kept>();
  readonly #uids = new Map<string, KubeObject>();
  readonly #dependents = new Map<string, Set<KubeObject>>();
  #changes: Change[] = [];
  #version = 1;
  #forgotten = 0;
  readonly #listeners = new Set<(change: Change) => void>();

  get version(): number {
    return this.#version;
  }

  get(resource: Resource, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#of(resource).objects.get(keyOf(resource, namespace, name));
  }

  /** By namespace and name, in order. */
  all(resource: Resource): readonly KubeObject[] {
    const kept = this.#of(resource);
    kept.listed ??= [...kept.objects.keys()].sort().flatMap((key) => kept.objects.get(key) ?? []);
    return kept.listed;
  }

  /** Stores an object under the next version. */
  put(resource: Resource, object: KubeObject): KubeObject {
    const key = keyOf(resource, object.metadata.namespace, object.metadata.name);
    const kept = this.#of(resource);
    const previous = kept.objects.get(key);
    const stored = this.#versioned(object);
    kept.objects.set(key, stored);
    kept.listed = undefined;
    this.#index(previous, stored);
    this.#record(
      previous === undefined
        ? { resource, type: 'ADDED', object: stored }
        : { resource, type: 'MODIFIED', object: stored, previous },
    );
    return stored;
  }

  remove(resource: Resource, object: KubeObject): void {
    const key = keyOf(resource, object.metadata.namespace, object.metadata.name);
    const kept = this.#of(resource);
    const previous = kept.objects.get(key);
    if (previous === undefined) return;
    kept.objects.delete(key);
    kept.listed = undefined;
    this.#index(previous, undefined);
    this.#record({ resource, type: 'DELETED', object: this.#versioned(object), previous });
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  byUid(uid: string): KubeObject | undefined {
    return this.#uids.get(uid);
  }

  /** The objects that name this one as an owner. */
  dependentsOf(uid: string): readonly KubeObject[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  /**
   * Changes since then; none where no object of this kind changed. Throws where the history does not reach back to it.
   */
  changesAfter(version: number, resource: Resource): readonly Change[] {
    if (version < this.#forgotten) throw expired(version, this.#forgotten);
    if (this.#of(resource).changedAt <= version) return [];
    // Each version is one change.
    const [first] = this.#changes;
    return first === undefined ? [] : this.#changes.slice(Math.max(0, version - first.version + 1));
  }

  /** Forgets what changed until now. */
  compact(): void {
    this.#changes = [];
    this.#forgotten = this.#version;
  }

  /** @returns a function that ends it */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #versioned(object: KubeObject): KubeObject {
    this.#version += 1;
    const resourceVersion = String(this.#version);
    const isFrozen = this.#version % FROZEN_ONE_IN === 0;
    return fixed({ ...object, metadata: { ...object.metadata, resourceVersion } }, isFrozen);
  }

  #record(what: Omit<Change, 'version'>): void {
    const change = { ...what, version: this.#version };
    this.#changes.push(change);
    this.#of(what.resource).changedAt = change.version;
    for (const listener of this.#listeners) listener(change);
  }

  #index(previous: KubeObject | undefined, next: KubeObject | undefined): void {
    if (previous !== undefined) this.#uids.delete(previous.metadata.uid);
    if (next !== undefined) this.#uids.set(next.metadata.uid, next);
    for (const { uid } of previous?.metadata.ownerReferences ?? []) {
      if (previous !== undefined) this.#dependents.get(uid)?.delete(previous);
    }
    for (const { uid } of next?.metadata.ownerReferences ?? []) {
      if (next === undefined) continue;
      const known = this.#dependents.get(uid) ?? new Set();
      this.#dependents.set(uid, known.add(next));
    }
  }

  #of(resource: Resource): Kept {
    const known = this.#byResource.get(resource);
    if (known !== undefined) return known;
    const kind = `${resource.apiVersion}/${resource.plural}`;
    const kept = this.#kinds.get(kind) ?? { objects: new Map<string, KubeObject>(), listed: undefined, changedAt: 0 };
    this.#kinds.set(kind, kept);
    this.#byResource.set(resource, kept);
    return kept;
  }
}

function keyOf({ namespaced }: Resource, namespace: string | undefined, name: string): string {
  return `${namespaced ? (namespace ?? '') : ''}/${name}`;
}
