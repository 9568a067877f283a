import type { OwnerReference } from '../object-meta.ts';
import type { ObjectRef } from './object-ref.ts';

/** The owner that controls an object, and that a deletion in the foreground holds until the object is gone. */
export function controllerReference({ apiVersion, kind, name, uid }: ObjectRef): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The owner that controls the object; undefined: none does. */
export function controllerOf(owners: readonly OwnerReference[] = []): OwnerReference | undefined {
  return owners.find(({ controller }) => controller === true);
}

/** The owners with this controller; entries of others stay as they are. */
export function withController(owners: readonly OwnerReference[], ref: ObjectRef): OwnerReference[] {
  return [...withoutOwner(owners, ref), controllerReference(ref)];
}

/** The owners without this one. */
export function withoutOwner(owners: readonly OwnerReference[], { uid }: ObjectRef): OwnerReference[] {
  return owners.filter((owner) => owner.uid !== uid);
}
