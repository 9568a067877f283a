import type { Kinds, Role, StoredObject } from '../k8s/dialects/kind.ts';
import { isOfKind, type ApiRegistry } from '../k8s/dialects/registry.ts';
import type { KubeClient } from '../k8s/client.ts';
import { unlessGone } from '../k8s/kube-error.ts';
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
export function readNamed(
  kube: KubeClient,
  resource: Resource,
  namespace: string,
  name: string,
): Promise<StoredObject | undefined> {
  return unlessGone(kube.get<StoredObject>(resource, namespace, name));
}

/** The object, if it is of a kind of this role, with its kind; undefined where it is none, or {@link readStored} finds none. */
export async function readOfRole<R extends Role>(
  { kube, apis }: { readonly kube: KubeClient; readonly apis: ApiRegistry },
  role: R,
  ref: ObjectRef,
): Promise<{ readonly kind: Kinds[R]; readonly stored: StoredObject } | undefined> {
  const kind = apis.kinds(role).find(({ resource }) => isOfKind(resource, ref));
  const stored = kind && (await readStored(kube, kind.resource, ref));
  return kind === undefined || stored === undefined ? undefined : { kind, stored };
}
