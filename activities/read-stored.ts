import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { KubeClient } from '../k8s/client.ts';
import { isNotFound } from '../k8s/kube-error.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';

/** The stored object as it is now; undefined where it is gone, or another one has its name. */
export async function readStored(
  kube: KubeClient,
  resource: Resource,
  ref: ObjectRef,
): Promise<StoredObject | undefined> {
  const stored = await readNamed(kube, resource, ref.namespace, ref.name);
  return stored?.metadata.uid === ref.uid ? stored : undefined;
}

/** The object of this name as it is now; undefined where there is none. */
export async function readNamed(
  kube: KubeClient,
  resource: Resource,
  namespace: string,
  name: string,
): Promise<StoredObject | undefined> {
  try {
    return await kube.get<StoredObject>(resource, namespace, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
