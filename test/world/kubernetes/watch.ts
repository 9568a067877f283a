import { KubeError } from '../../../k8s/kube-error.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { handedOut, type KubeObject } from './kube-object.ts';
import type { Change, ObjectStore } from './store.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** All changes up to its version were told. */
  | { readonly type: 'BOOKMARK'; readonly object: { readonly metadata: { readonly resourceVersion: string } } }
  /** The last event: the watch has to be begun anew, from a list. */
  | { readonly type: 'ERROR'; readonly object: { readonly code: number; readonly reason: string } };

export interface WatchTarget {
  readonly resource: Resource;
  readonly matches: (object: KubeObject) => boolean;
  /** Tell of what is there, then of what changes; else of what changed after this version. */
  readonly since: number | 'now';
}

/**
 * The changes of one kind's objects, from a version on. It keeps its place in the history only: who takes the events later
 * finds them all there, unless they were forgotten meanwhile.
 */
export class Watch {
  readonly #store: ObjectStore;
  readonly #target: WatchTarget;
  #version: number;
  #isToTellAll: boolean;
  #wantsBookmark = false;
  #isOver = false;
  #wake: () => void = () => {};

  constructor(store: ObjectStore, target: WatchTarget) {
    this.#store = store;
    this.#target = target;
    this.#isToTellAll = target.since === 'now';
    this.#version = target.since === 'now' ? store.version : target.since;
  }

  /** What came since the last take. */
  take(): WatchEvent[] {
    if (this.#isOver) return [];
    try {
      const events = [...this.#initial(), ...this.#changes()];
      return this.#wantsBookmark ? [...events, this.#mark()] : events;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      this.stop();
      return [{ type: 'ERROR', object: { code: error.status, reason: error.reason } }];
    }
  }

  /** As {@link take}, once there is something; nothing where the watch was stopped. */
  async wait(): Promise<WatchEvent[]> {
    for (;;) {
      const events = this.take();
      if (events.length > 0 || this.#isOver) return events;
      let end = () => {};
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        end = this.#store.onChange(() => resolve());
      });
      end();
    }
  }

  /** Has the next take tell up to which version it tells: the server does so about once a minute. */
  bookmark(): void {
    this.#wantsBookmark = true;
    this.#wake();
  }

  stop(): void {
    this.#isOver = true;
    this.#wake();
  }

  #initial(): WatchEvent[] {
    if (!this.#isToTellAll) return [];
    this.#isToTellAll = false;
    this.#version = this.#store.version;
    const there = this.#store.all(this.#target.resource).filter(this.#target.matches);
    return there.map((object) => ({ type: 'ADDED', object: handedOut(object) }));
  }

  #changes(): WatchEvent[] {
    const changes = this.#store.changesAfter(this.#version, this.#target.resource);
    this.#version = this.#store.version;
    return changes.flatMap((change) => this.#eventOf(change) ?? []);
  }

  /** An object that begins or ceases to match is told as one that comes or goes. */
  #eventOf({ resource, type, object, previous }: Change): WatchEvent | undefined {
    const { resource: wanted, matches } = this.#target;
    if (resource.apiVersion !== wanted.apiVersion || resource.plural !== wanted.plural) return undefined;
    const did = previous !== undefined && matches(previous);
    const does = type !== 'DELETED' && matches(object);
    if (!did && !does) return undefined;
    if (!did) return { type: 'ADDED', object: handedOut(object) };
    if (does || type === 'DELETED') return { type: does ? 'MODIFIED' : 'DELETED', object: handedOut(object) };
    return { type: 'DELETED', object: atVersion(handedOut(previous), object) };
  }

  #mark(): WatchEvent {
    this.#wantsBookmark = false;
    return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(this.#version) } } };
  }
}

/** One that ceases to match is told as it was when it did, at the version at which it ceased. */
function atVersion(object: KubeObject, { metadata: { resourceVersion } }: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
