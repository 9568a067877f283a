import type { KubeClient } from '../k8s/client.ts';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import { isInvalid } from '../k8s/kube-error.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';
import { objectChanged, onObject } from './failures.ts';
import { readStored } from './read-stored.ts';

/** An object and the finalizer of ours that is to come or go. */
export interface Finalized {
  readonly kube: KubeClient;
  readonly resource: Resource;
  readonly ref: ObjectRef;
  readonly finalizer: string;
}

/** Puts our finalizer on an object; one that is gone, made anew or being deleted since it was read is to be looked at again. */
export async function addFinalizer(finalized: Finalized, fieldManager: string): Promise<void> {
  const { kube, resource, ref, finalizer } = finalized;
  const body = { metadata: { uid: ref.uid, finalizers: [finalizer] } };
  await toldApart(
    finalized,
    ({ metadata }) => metadata.deletionTimestamp === undefined && metadata.finalizers?.includes(finalizer) !== true,
    () => kube.apply(resource, ref.namespace, ref.name, body, { fieldManager }),
  );
}

/** Takes our finalizer off an object, and no other. Safe to repeat, also where the object is gone. */
export async function takeOffFinalizer(finalized: Finalized): Promise<void> {
  const { kube, resource, ref, finalizer } = finalized;
  const { finalizers = [] } = (await readStored(kube, resource, ref))?.metadata ?? {};
  const patch = patchWithout(finalizer, finalizers, ref);
  if (patch === undefined) return;
  await toldApart(
    finalized,
    ({ metadata }) => metadata.finalizers?.indexOf(finalizer) === finalizers.indexOf(finalizer),
    () => kube.jsonPatch(resource, ref.namespace, ref.name, patch),
  );
}

/**
 * The JSON patch that takes a finalizer off an object with these finalizers; where it has others by now, or is another object, the
 * request is Invalid. Undefined: it is not among them.
 */
export function patchWithout(
  finalizer: string,
  finalizers: readonly string[],
  { uid }: Pick<ObjectRef, 'uid'>,
): readonly object[] | undefined {
  const index = finalizers.indexOf(finalizer);
  if (index === -1) return undefined;
  const path = `/metadata/finalizers/${index}`;
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ];
}

/**
 * Runs a change of finalizers. The API server calls it invalid where the object is not as it was seen, which means another look;
 * and where somebody's rule refuses it, which another look does not mend.
 */
async function toldApart(
  { kube, resource, ref }: Finalized,
  isAsSeen: (now: StoredObject) => boolean,
  run: () => Promise<unknown>,
): Promise<void> {
  try {
    await onObject(run);
  } catch (error) {
    if (!isInvalid(error)) throw error;
    const now = await readStored(kube, resource, ref);
    throw now !== undefined && isAsSeen(now) ? error : objectChanged(error.message);
  }
}
