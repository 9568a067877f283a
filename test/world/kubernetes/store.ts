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

/**
 * All objects and the history of their changes, on one count of versions. It keeps what it is given and hands it out: nobody
 * may change an object that is in it.
 */
export class ObjectStore {
  readonly #kinds = new Map<string, Map<string, KubeObject>>();
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
    return this.#of(resource).get(keyOf(resource, namespace, name));
  }

  /** By namespace and name, in order. */
  all(resource: Resource): KubeObject[] {
    const objects = this.#of(resource);
    return [...objects.keys()].sort().flatMap((key) => objects.get(key) ?? []);
  }

  /** Stores an object under the next version. */
  put(resource: Resource, object: KubeObject): KubeObject {
    const key = keyOf(resource, object.metadata.namespace, object.metadata.name);
    const previous = this.#of(resource).get(key);
    const stored = this.#versioned(object);
    this.#of(resource).set(key, stored);
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
    const previous = this.#of(resource).get(key);
    if (previous === undefined) return;
    this.#of(resource).delete(key);
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

  /** Throws where the history does not reach back to it. */
  changesAfter(version: number): readonly Change[] {
    if (version < this.#forgotten) throw expired(version, this.#forgotten);
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
    return fixed({ ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } });
  }

  #record(what: Omit<Change, 'version'>): void {
    const change = { ...what, version: this.#version };
    this.#changes.push(change);
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

  #of({ apiVersion, plural }: Resource): Map<string, KubeObject> {
    const kind = `${apiVersion}/${plural}`;
    const known = this.#kinds.get(kind) ?? new Map<string, KubeObject>();
    this.#kinds.set(kind, known);
    return known;
  }
}

function keyOf({ namespaced }: Resource, namespace: string | undefined, name: string): string {
  return `${namespaced ? (namespace ?? '') : ''}/${name}`;
}
