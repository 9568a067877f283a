import type { KubeClient } from '../k8s/client.ts';
import { isConflict, KubeError } from '../k8s/kube-error.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';
import { BoundedMap } from '../providers/bounded-map.ts';

/** Objects whose version is remembered. One that was forgotten costs one read more before it is written. */
const MOST_VERSIONS = 10_000;
/** Tries to write an object while others write it as well. */
const TRIES = 3;

/** What is asked of an object here. */
interface Versioned {
  readonly metadata: { readonly uid: string; readonly resourceVersion?: string };
}

/**
 * The versions in which objects were seen last, for writes of their status: the API server looks at no uid there, so that an
 * object of the same name would get what is said of the one before it. A version is of one object only.
 */
export class SeenVersions {
  readonly #kube: Pick<KubeClient, 'get'>;
  /** By uid. An old one does no harm: the API server refuses it. */
  readonly #versions = new BoundedMap<string, string>(MOST_VERSIONS);

  constructor(kube: Pick<KubeClient, 'get'>) {
    this.#kube = kube;
  }

  /** Remembers what was read, or what a write was answered with. */
  saw({ metadata: { uid, resourceVersion } }: Versioned): void {
    if (resourceVersion !== undefined) this.#versions.set(uid, resourceVersion);
  }

  /**
   * Runs a write that names the version that was seen last. Where others wrote since, the object is looked at, and written
   * if it is still the one that is meant.
   *
   * @throws KubeError 404 or 409: it is gone, is another one by now, or others write it again and again
   */
  async write<T extends Versioned>(
    resource: Resource,
    ref: ObjectRef,
    write: (resourceVersion: string) => Promise<T>,
  ): Promise<T> {
    for (let left = TRIES; ; left -= 1) {
      const version = this.#versions.get(ref.uid) ?? (await this.#look(resource, ref));
      try {
        const written = await write(version);
        this.saw(written);
        return written;
      } catch (error) {
        // It may have been carried out all the same.
        this.#versions.delete(ref.uid);
        if (!isConflict(error) || left === 1) throw error;
      }
    }
  }

  async #look(resource: Resource, ref: ObjectRef): Promise<string> {
    const { metadata } = await this.#kube.get<Versioned>(resource, ref.namespace, ref.name);
    if (metadata.uid === ref.uid && metadata.resourceVersion !== undefined) return metadata.resourceVersion;
    throw new KubeError(409, 'Conflict', `${describeRef(ref)} is another one by now`);
  }
}
