import type { KubeClient } from '../k8s/client.ts';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import { isAlreadyExists, isConflict, isRefusal, KubeError } from '../k8s/kube-error.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { OwnerReference } from '../k8s/object-meta.ts';
import type { Resource } from '../k8s/resources.ts';

/** Tries of one object, where it changes between the look at it and the patch. */
const TRIES = 3;

/** Objects of a kind that an object of another kind owns, in one namespace, and who writes them. */
export interface Owned {
  readonly kube: KubeClient;
  readonly resource: Resource;
  readonly namespace: string;
  readonly fieldManager: string;
}

/** An object to act on; the uid makes sure that it is this one. */
type Named = Pick<ObjectRef, 'name' | 'uid'>;

/**
 * Makes an object under a name that was issued for it. That there is one by now is no failure: an earlier try made it, or the
 * name is taken, which the next look at all of them tells.
 *
 * @param isLate asked right before it is sent: a process may have stood still since it was decided. Then it fails with NotSent
 */
export async function createOnce(
  { kube, resource, namespace, fieldManager }: Owned,
  object: object,
  isLate?: () => boolean,
): Promise<void> {
  try {
    await kube.create(resource, namespace, object, { fieldManager, isLate });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Deletes an object only as it was seen: anything else of it may be what it was chosen by. */
export async function deleteAsSeen(
  { kube, resource, namespace }: Omit<Owned, 'fieldManager'>,
  { name, uid, resourceVersion }: Named & { readonly resourceVersion: string },
): Promise<void> {
  await kube.delete(resource, namespace, name, { uid, resourceVersion });
}

/**
 * The same, with annotations first that tell why, and that are taken off where it stays: they would tell of the next deletion, whoever asks
 * for that. Who dies in between leaves them on an object that stays; where they may not be written, it goes without them.
 *
 * @param isLate asked right before it goes: a process may have stood still since it was chosen. Then it stays
 */
export async function deleteWithNote(
  owned: Owned,
  { name, uid, resourceVersion: seen }: Named & { readonly resourceVersion: string },
  annotations: Readonly<Record<string, string>>,
  isLate: () => boolean = () => false,
): Promise<'done' | 'changed'> {
  const { kube, resource, namespace, fieldManager } = owned;
  const body = { metadata: { uid, resourceVersion: seen, annotations } };
  let resourceVersion = seen;
  try {
    const noted = await kube.mergePatch<StoredObject>(resource, namespace, name, body, { fieldManager });
    resourceVersion = noted.metadata.resourceVersion;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const takeBack = async () => {
    if (resourceVersion !== seen) await takeNoteBack(owned, { name, uid }, annotations);
  };
  if (isLate()) {
    await takeBack();
    return 'changed';
  }
  try {
    await deleteAsSeen(owned, { name, uid, resourceVersion });
  } catch (error) {
    // Of any other answer nobody knows whether it goes by this call.
    if (isConflict(error) || isRefusal(error)) await takeBack();
    throw error;
  }
  return 'done';
}

/** Takes off what was noted, where it says that still. Where that fails, it stays: what it tells of counts for a short time only. */
async function takeNoteBack(
  { kube, resource, namespace }: Owned,
  { name, uid }: Named,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const steps = Object.entries(annotations).flatMap(([key, value]) => {
    const path = `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [
      { op: 'test', path, value },
      { op: 'remove', path },
    ];
  });
  const patch = [{ op: 'test', path: '/metadata/uid', value: uid }, ...steps];
  try {
    await kube.jsonPatch(resource, namespace, name, patch);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
  }
}

/**
 * Changes the owners of an object as they stand now.
 *
 * @param isDue whether it is still to be changed, by what it is right before
 * @param change the owners as they shall be
 * @param labelsFor what labels it gets by that; by default none
 */
export async function changeOwners(
  { kube, resource, namespace, fieldManager }: Owned,
  { name, uid }: Named,
  isDue: (stored: StoredObject) => boolean,
  change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  labelsFor: (stored: StoredObject) => Readonly<Record<string, string>> = () => ({}),
): Promise<'done' | 'changed'> {
  for (let left = TRIES; ; left -= 1) {
    const stored = await kube.get<StoredObject>(resource, namespace, name);
    const { resourceVersion, ownerReferences = [] } = stored.metadata;
    if (stored.metadata.uid !== uid || !isDue(stored)) return 'changed';
    // Another object of that name has another resourceVersion.
    const labels = labelsFor(stored);
    const body = { metadata: { resourceVersion, ownerReferences: change(ownerReferences), labels } };
    try {
      await kube.mergePatch(resource, namespace, name, body, { fieldManager });
      return 'done';
    } catch (error) {
      if (!isConflict(error) || left === 1) throw error;
    }
  }
}
