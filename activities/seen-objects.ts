import type { KubeClient } from '../k8s/client.ts';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';
import { given } from '../providers/given.ts';
import type { SeenStatus } from '../workflows/seen-status.ts';
import { applyStatus, type StatusKind } from './apply-status.ts';
import { onObject } from './failures.ts';
import { readStored } from './read-stored.ts';
import { SeenVersions } from './seen-versions.ts';

/** Reads objects, and writes their status over the version in which they were seen. */
export class SeenObjects {
  readonly #kube: KubeClient;
  readonly #versions: SeenVersions;

  constructor(kube: KubeClient) {
    this.#kube = kube;
    this.#versions = new SeenVersions(kube);
  }

  /** As it is now, with what a write names that follows from this look; undefined where it is gone, or another one has its name. */
  async see(
    resource: Resource,
    ref: ObjectRef,
  ): Promise<{ readonly stored: StoredObject; readonly seen?: SeenStatus } | undefined> {
    const stored = await readStored(this.#kube, resource, ref);
    return stored && { stored, ...given({ seen: this.#versions.saw(stored) }) };
  }

  /** Writes the whole status, as {@link SeenVersions.write} does it. */
  async writeStatus<Status>(
    kind: StatusKind<Status>,
    ref: ObjectRef,
    {
      status,
      fieldManager,
      seen,
    }: { readonly status: Status; readonly fieldManager: string; readonly seen?: SeenStatus },
  ): Promise<void> {
    await onObject(() =>
      this.#versions.write(
        kind.resource,
        ref,
        (resourceVersion) => applyStatus(this.#kube, kind, ref, { status, fieldManager, resourceVersion }),
        { seen },
      ),
    );
  }
}
