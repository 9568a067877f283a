import { isDeepStrictEqual } from 'node:util';
import { APIS, type ApiRegistry } from '../../../k8s/dialects/registry.ts';
import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { deleted, isReleased } from './deletion.ts';
import { GarbageCollector } from './garbage.ts';
import { openKind, servedKinds, type Kind } from './kinds.ts';
import { copyOf, handedOut, type KubeMeta, type KubeObject } from './kube-object.ts';
import { withoutEmpty, type Birth } from './object-rules.ts';
import { notFound, notServed } from './refusals.ts';
import { ObjectStore } from './store.ts';
import { merged } from './writes.ts';

export interface RegistryOptions {
  /** Whose kinds are served, beside those of Kubernetes. @default the product's */
  readonly apis?: ApiRegistry;
  /** Milliseconds since the epoch. @default stands still at the beginning of 2026 */
  readonly now?: () => number;
  /** @default a count */
  readonly newUid?: () => string;
  /** What is put behind `generateName`. @default a count */
  readonly newSuffix?: () => string;
  /**
   * `when told`: not before {@link Registry.collectGarbage}. At once it leaves alone whose owners never were there, so that a
   * test need not make them.
   *
   * @default at once
   */
  readonly garbage?: 'at once' | 'when told';
}

/** An object to put there as it is: what is left out of its metadata is made up. */
export interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<Omit<KubeMeta, 'name' | 'managedFields'>> & Pick<ObjectMeta, 'name' | 'managedFields'>;
}

export const START = Date.parse('2026-01-01T00:00:00Z');

/**
 * What an API server holds, and how it is changed: by the rules of the kinds that are served, or by {@link put} and
 * {@link drop}, which no rule checks, as who restores a backup of the store.
 */
export class Registry {
  readonly store = new ObjectStore();
  readonly #options: Required<RegistryOptions>;
  readonly #garbage: GarbageCollector;
  readonly #kinds: Map<string, Kind>;
  /** The same by the resource itself: each request comes here. */
  #byResource = new WeakMap<Resource, Kind>();
  #told = { at: Number.NaN, time: '' };
  readonly #withdrawn = new Set<string>();

  constructor(options: RegistryOptions = {}) {
    this.#options = {
      apis: APIS,
      now: () => START,
      newUid: counted((count) => `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`),
      newSuffix: counted((count) => count.toString(36).padStart(5, '0')),
      garbage: 'at once',
      ...options,
    };
    this.#kinds = new Map(servedKinds(this.#options.apis).map((kind) => [keyOf(kind.resource), kind]));
    this.#garbage = new GarbageCollector(this.store, {
      resourceOf: ({ apiVersion, kind }) => this.#resourceOf(apiVersion, kind),
      remove: (resource, object, propagationPolicy) =>
        this.remove(this.kindOf(resource), object, { propagationPolicy }),
      rewrite: (resource, object, metadata) =>
        this.commit(this.kindOf(resource), object, this.#asCollector(this.kindOf(resource), object, metadata)),
    });
  }

  /** RFC 3339, to the second. */
  get time(): string {
    const at = this.#options.now();
    if (this.#told.at !== at) this.#told = { at, time: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z') };
    return this.#told.time;
  }

  /** Serves one kind more, whose objects may have any fields. */
  serve(resource: Resource): void {
    this.#kinds.set(keyOf(resource), openKind(resource));
    this.#byResource = new WeakMap();
  }

  /** How it serves objects of a kind. */
  find(apiVersion: string, kind: string): Resource | undefined {
    const served = [...this.#kinds.values()].map(({ resource }) => resource);
    return served.find((one) => one.apiVersion === apiVersion && one.kind === kind && !this.#withdrawn.has(keyOf(one)));
  }

  /** As while a definition is removed and made again: the objects stay, and nothing is said of them. */
  withdraw(resource: Resource): void {
    this.#withdrawn.add(keyOf(resource));
  }

  restore(resource: Resource): void {
    this.#withdrawn.delete(keyOf(resource));
  }

  /** Puts objects there as they are. */
  put(...objects: readonly GivenObject[]): void {
    for (const given of objects) {
      const { apiVersion, kind, metadata } = given;
      const resource = this.#resourceOf(apiVersion, kind);
      const generation = this.kindOf(resource).countsGenerations ? { generation: 1 } : {};
      const made = { uid: this.#options.newUid(), creationTimestamp: this.time, resourceVersion: '', ...generation };
      const stored: KubeObject = { ...given, metadata: withoutEmpty({ ...made, ...(metadata as KubeMeta) }) };
      const { namespace, name, uid } = stored.metadata;
      const known = this.store.get(resource, namespace, name);
      if (known !== undefined && known.metadata.uid !== uid) this.store.remove(resource, known);
      this.store.put(resource, copyOf(stored));
    }
  }

  /** Takes an object away, whatever holds it. */
  drop(resource: Resource, namespace: string | undefined, name: string): void {
    this.store.remove(resource, this.require(resource, namespace, name));
    this.#collectGarbage();
  }

  /** The object as it is stored; undefined where there is none. */
  peek(resource: Resource, namespace: string | undefined, name: string): KubeObject | undefined {
    return handedOut(this.store.get(resource, namespace, name));
  }

  all<T = KubeObject>(resource: Resource): T[] {
    return handedOut(this.store.all(resource)) as T[];
  }

  /** Follows up on owners that are gone, as the controller manager does some time later. */
  collectGarbage(): void {
    this.#garbage.collect(true);
  }

  /** Forgets the history of changes: who watches from before has to list anew. */
  compact(): void {
    this.store.compact();
  }

  /** Throws where it is not served. */
  kindOf(resource: Resource): Kind {
    const kind = this.#byResource.get(resource) ?? this.#kinds.get(keyOf(resource));
    if (kind === undefined || (this.#withdrawn.size > 0 && this.#withdrawn.has(keyOf(resource)))) {
      throw notServed(resource);
    }
    this.#byResource.set(resource, kind);
    return kind;
  }

  require(resource: Resource, namespace: string | undefined, name: string): KubeObject {
    const found = this.store.get(resource, namespace, name);
    if (found === undefined) throw notFound(resource, name);
    return found;
  }

  birth(resource: Resource, namespace: string | undefined, name: string): Birth {
    const place = resource.namespaced ? (namespace ?? 'default') : undefined;
    return { namespace: place, name, uid: this.#options.newUid(), time: this.time };
  }

  newName(prefix: string): string {
    return `${prefix}${this.#options.newSuffix()}`;
  }

  /** Stores a change, and ends a deletion whose last finalizer it takes off. */
  commit({ resource }: Kind, existing: KubeObject | undefined, next: KubeObject): KubeObject {
    if (next === existing) return existing;
    const isOver = existing !== undefined && isReleased(next);
    if (isOver) this.store.remove(resource, existing);
    const stored = isOver ? next : this.store.put(resource, next);
    this.#collectGarbage();
    return stored;
  }

  remove(kind: Kind, existing: KubeObject, options: Parameters<typeof deleted>[2]): void {
    const left = deleted(kind, existing, options, this.time);
    if (left === undefined) this.store.remove(kind.resource, existing);
    else if (!isDeepStrictEqual(left, existing)) this.store.put(kind.resource, left);
    this.#collectGarbage();
  }

  /** It takes only away, so that it comes to own nothing. */
  #asCollector(kind: Kind, object: KubeObject, metadata: Partial<KubeMeta>): KubeObject {
    return merged(kind, object, { metadata }, { manager: 'garbage-collector', time: this.time });
  }

  #collectGarbage(): void {
    if (this.#options.garbage === 'at once') this.#garbage.collect(false);
  }

  #resourceOf(apiVersion: string, kind: string): Resource {
    const found = [...this.#kinds.values()].find(
      ({ resource }) => resource.apiVersion === apiVersion && resource.kind === kind,
    );
    if (found === undefined) throw notServed({ ...MACHINES, apiVersion, kind, plural: `${kind.toLowerCase()}s` });
    return found.resource;
  }
}

function keyOf({ apiVersion, plural }: Resource): string {
  return `${apiVersion} ${plural}`;
}

function counted(make: (count: number) => string): () => string {
  let count = 0;
  return () => make((count += 1));
}
