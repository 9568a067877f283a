import { hash } from 'node:crypto';
import type { KubeClient } from '../k8s/client.ts';
import { isConflict, KubeError } from '../k8s/kube-error.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';
import { BoundedMap } from '../providers/bounded-map.ts';
import type { SeenStatus } from '../workflows/seen-status.ts';

/** Objects whose version is remembered. One that was forgotten costs one read more before it is written. */
const MOST_VERSIONS = 10_000;
/** Tries to write an object while others write it as well. */
const TRIES = 3;

/** What is asked of an object here. */
interface Versioned {
  readonly metadata: { readonly uid: string; readonly resourceVersion?: string };
  readonly status?: unknown;
}

/** What a write of a status goes by. */
export interface StatusWrite<T> {
  /**
   * The look, or the answer of a write, that the status follows from: a worker that stood still may have seen the object later, for
   * another step. Absent: the last one.
   */
  readonly seen?: SeenStatus | undefined;
  /** True of an object that has the status already: a write of which nobody heard the answer was carried out. @default false */
  readonly isDone?: (stored: T) => boolean;
}

/**
 * The versions in which objects were seen last, for writes of their status: the API server looks at no uid there, so that an
 * object of the same name would get what is said of the one before it. A version is of one object only.
 */
export class SeenVersions {
  readonly #kube: Pick<KubeClient, 'get'>;
  /** By uid. An old one does no harm: the API server refuses it. */
  readonly #seen = new BoundedMap<string, SeenStatus>(MOST_VERSIONS);

  constructor(kube: Pick<KubeClient, 'get'>) {
    this.#kube = kube;
  }

  /** Remembers what was read, or what a write was answered with. */
  saw(stored: Versioned): SeenStatus | undefined {
    const seen = seenStatusOf(stored);
    if (seen !== undefined) this.#seen.set(stored.metadata.uid, seen);
    return seen;
  }

  /**
   * Runs a write of the status that names the version that was seen last. Where others wrote since, the object is looked at,
   * and written if it is still the one that is meant and its status is as it was: what was decided by that status still holds.
   *
   * @returns the object as it is after it
   * @throws KubeError 404 or 409: it is gone, is another one by now, its status was written meanwhile, or others write it
   *   again and again
   */
  async write<T extends Versioned>(
    resource: Resource,
    ref: ObjectRef,
    write: (resourceVersion: string) => Promise<T>,
    { seen, isDone = () => false }: StatusWrite<T> = {},
  ): Promise<T> {
    const look = () => this.#kube.get<T>(resource, ref.namespace, ref.name);
    const last = this.#seen.get(ref.uid);
    const isAsDecided = seen === undefined || last?.status === seen.status;
    let over = (isAsDecided ? last : seen) ?? seenAs(ref, await look());
    for (let left = TRIES; ; left -= 1) {
      try {
        const written = await write(over.version);
        this.saw(written);
        return written;
      } catch (error) {
        // It may have been carried out all the same.
        this.#seen.delete(ref.uid);
        if (!isConflict(error) || left === 1) throw error;
      }
      const stored = await look();
      const now = seenAs(ref, stored);
      if (now.status !== over.status) {
        if (isDone(stored)) return stored;
        throw new KubeError(409, 'Conflict', `the status of ${describeRef(ref)} was written since it was seen`);
      }
      over = now;
    }
  }
}

/** @throws KubeError 409: it is another one by now */
function seenAs(ref: ObjectRef, stored: Versioned): SeenStatus {
  const seen = seenStatusOf(stored);
  if (stored.metadata.uid === ref.uid && seen !== undefined) return seen;
  throw new KubeError(409, 'Conflict', `${describeRef(ref)} is another one by now`);
}

/** What a later write of its status goes by; undefined where it names no version. */
export function seenStatusOf(stored: Versioned): SeenStatus | undefined {
  const { resourceVersion } = stored.metadata;
  return resourceVersion === undefined ? undefined : { version: resourceVersion, status: digestOf(stored) };
}

/** Of the status as it is stored: the API server answers with its fields in the same order each time. */
function digestOf({ status }: Versioned): string {
  return hash('sha256', JSON.stringify(status ?? null), 'base64');
}
