import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { Machine } from '../k8s/model/machine.ts';
import { instanceIdOf } from '../k8s/model/provider-id.ts';
import type { MachineDeps } from './deps.ts';
import type { SeenMachine } from './machine-reader.ts';

/**
 * Takes a status that was copied from another Machine off the object, so that nothing of it mixes with what becomes of this
 * one. What is left, a phase without `pastKnown`, is the mark of a Machine on which somebody else acted: its instance is
 * looked up before one is launched. Safe to repeat: the status goes last.
 */
export async function dropCopiedStatus(deps: MachineDeps, { machine, seen }: SeenMachine): Promise<void> {
  const { ref, copied, providerID } = machine;
  if (copied === undefined) return;
  const { kube, apis, reader, events, log } = deps;
  const { resource, withoutProviderID, emptiedStatus } = apis.kindOf('machine', ref);
  const { instanceId, token } = copied;
  const its = instanceId === undefined ? '' : ` and instance ${instanceId}`;
  const message = `the status was copied from another Machine: it names token ${token}${its}, which are not this Machine's. It is dropped, and nothing of that one's is touched`;
  log.warn({ object: ref }, message);
  if (
    instanceId !== undefined &&
    instanceIdOf(providerID) === instanceId &&
    (await isAnothers(deps, ref, instanceId))
  ) {
    const body = { ...withoutProviderID, metadata: { uid: ref.uid } };
    await reader.writing(ref, () => kube.mergePatch(resource, ref.namespace, ref.name, body));
  }
  const emptied = (resourceVersion: string) => {
    const body = { metadata: { uid: ref.uid, resourceVersion }, status: emptiedStatus };
    return kube.mergePatch<StoredObject>(resource, ref.namespace, ref.name, body, { subresource: 'status' });
  };
  await reader.writingStatus(ref, emptied, { seen });
  await events.record(ref, { type: 'Warning', reason: 'CopiedStatus', message });
}

/** True where a Machine there is has the instance on record, by a launch of its own. */
async function isAnothers(deps: MachineDeps, ref: Machine['ref'], instanceId: string): Promise<boolean> {
  const all = await deps.reader.all();
  return all.some(({ machine }) => machine.ref.uid !== ref.uid && machine.status.instance?.id === instanceId);
}
