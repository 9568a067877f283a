import type { KubeClient } from '../k8s/client.ts';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';

/** What of a kind tells how its status is written. */
export interface StatusKind<Status> {
  readonly resource: Resource;
  readonly writeStatus: (status: Status) => object;
}

/** Writes the whole status over this version of the object, as the one owner of its fields. */
export function applyStatus<Status>(
  kube: KubeClient,
  { resource, writeStatus }: StatusKind<Status>,
  ref: ObjectRef,
  {
    status,
    fieldManager,
    resourceVersion,
  }: { readonly status: Status; readonly fieldManager: string; readonly resourceVersion: string | undefined },
): Promise<StoredObject> {
  return kube.apply<StoredObject>(
    resource,
    ref.namespace,
    ref.name,
    { metadata: { uid: ref.uid, resourceVersion }, status: writeStatus(status) },
    { fieldManager, subresource: 'status' },
  );
}
