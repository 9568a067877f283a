import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { KubeClient } from '../k8s/client.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';
import { onObject } from './failures.ts';
import type { SeenVersions } from './seen-versions.ts';

/** Writes the whole status over the version in which the object was seen, as the one owner of its fields. */
export async function applyStatus(
  { kube, versions }: { readonly kube: KubeClient; readonly versions: SeenVersions },
  resource: Resource,
  ref: ObjectRef,
  { status, fieldManager }: { readonly status: object; readonly fieldManager: string },
): Promise<void> {
  await onObject(() =>
    versions.write(resource, ref, (resourceVersion) =>
      kube.apply<StoredObject>(
        resource,
        ref.namespace,
        ref.name,
        { metadata: { uid: ref.uid, resourceVersion }, status },
        { fieldManager, subresource: 'status' },
      ),
    ),
  );
}
