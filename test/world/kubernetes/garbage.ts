import type { Resource } from '../../../k8s/resources.ts';
import { FOREGROUND, ORPHAN } from './deletion.ts';
import type { KubeObject } from './kube-object.ts';
import type { Change, ObjectStore } from './store.ts';

/** What the garbage collector does to objects, as anybody else would. */
export interface GarbageHands {
  readonly resourceOf: (object: KubeObject) => Resource;
  readonly remove: (resource: Resource, object: KubeObject, policy: 'Background' | 'Foreground') => void;
  readonly rewrite: (resource: Resource, object: KubeObject, metadata: Partial<KubeObject['metadata']>) => void;
}

/**
 * Deletes what belonged to objects that are gone, and ends the deletions that wait for it, as the controller manager does in
 * the background.
 */
export class GarbageCollector {
  readonly #store: ObjectStore;
  readonly #hands: GarbageHands;
  readonly #news: Change[] = [];

  constructor(store: ObjectStore, hands: GarbageHands) {
    this.#store = store;
    this.#hands = hands;
    store.onChange((change) => void this.#news.push(change));
  }

  /**
   * Follows up all changes since the last time, and those that come of it.
   *
   * @param unknownOwners an object whose owners were never there is followed up, too, as the real one does
   */
  collect(unknownOwners: boolean): void {
    for (let change = this.#news.shift(); change !== undefined; change = this.#news.shift()) {
      this.#follow(change, unknownOwners);
    }
  }

  #follow({ type, resource, object }: Change, unknownOwners: boolean): void {
    const { uid, name, namespace, ownerReferences = [] } = object.metadata;
    if (type === 'DELETED') {
      for (const dependent of this.#store.dependentsOf(uid)) this.#bereave(dependent);
      for (const owner of ownerReferences) this.#endForeground(owner.uid);
      return;
    }
    const now = this.#store.get(resource, namespace, name);
    if (now?.metadata.uid !== uid) return;
    if (now.metadata.deletionTimestamp === undefined) {
      const isUnknown = unknownOwners && now.metadata.ownerReferences?.some((owner) => !this.#store.has(owner.uid));
      if (isUnknown === true) this.#bereave(now);
      return;
    }
    if (now.metadata.finalizers?.includes(ORPHAN)) this.#orphan(resource, now);
    if (now.metadata.finalizers?.includes(FOREGROUND)) this.#deleteDependents(resource, now);
  }

  /** An owner is gone, or waits for the object to go: it goes with the last of them. */
  #bereave(object: KubeObject): void {
    const { uid, ownerReferences = [], deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) return;
    const owners = ownerReferences.map((reference) => ({ reference, owner: this.#store.byUid(reference.uid) }));
    const left = owners.filter(({ owner }) => owner !== undefined && !isWaiting(owner));
    const resource = this.#hands.resourceOf(object);
    if (left.length > 0) {
      this.#hands.rewrite(resource, object, { ownerReferences: left.map(({ reference }) => reference) });
      return;
    }
    const isAwaited = owners.some(({ owner }) => owner !== undefined);
    const hasDependents = this.#store.dependentsOf(uid).length > 0;
    this.#hands.remove(resource, object, isAwaited && hasDependents ? 'Foreground' : 'Background');
  }

  #orphan(resource: Resource, owner: KubeObject): void {
    const { uid } = owner.metadata;
    for (const dependent of this.#store.dependentsOf(uid)) {
      const ownerReferences = dependent.metadata.ownerReferences?.filter((reference) => reference.uid !== uid) ?? [];
      this.#hands.rewrite(this.#hands.resourceOf(dependent), dependent, { ownerReferences });
    }
    this.#takeOff(resource, owner, ORPHAN);
  }

  #deleteDependents(resource: Resource, owner: KubeObject): void {
    const { uid } = owner.metadata;
    for (const dependent of this.#store.dependentsOf(uid)) this.#bereave(dependent);
    if (!this.#store.dependentsOf(uid).some((dependent) => blocks(dependent, uid))) {
      this.#takeOff(resource, owner, FOREGROUND);
    }
  }

  /** Its owner may have waited for this one. */
  #endForeground(uid: string): void {
    const owner = this.#store.byUid(uid);
    if (owner?.metadata.finalizers?.includes(FOREGROUND)) this.#deleteDependents(this.#hands.resourceOf(owner), owner);
  }

  #takeOff(resource: Resource, object: KubeObject, finalizer: string): void {
    const finalizers = (object.metadata.finalizers ?? []).filter((own) => own !== finalizer);
    this.#hands.rewrite(resource, object, { finalizers });
  }
}

function isWaiting({ metadata: { deletionTimestamp, finalizers } }: KubeObject): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes(FOREGROUND) === true;
}

function blocks(dependent: KubeObject, uid: string): boolean {
  return dependent.metadata.ownerReferences?.some((o) => o.uid === uid && o.blockOwnerDeletion === true) ?? false;
}
