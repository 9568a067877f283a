import type { StoredObject } from '../k8s/dialects/kind.ts';
import { isSameJson } from '../k8s/json.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineStatus } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { applyStatus } from './apply-status.ts';
import type { WriteMachineStatus } from '../workflows/machine/machine-activities.ts';
import type { SeenStatus } from '../workflows/seen-status.ts';
import type { ActivityDeps, MachineDeps } from './deps.ts';

/**
 * Writes the whole status of a Machine over the one that it follows from.
 *
 * @returns what the next write goes by
 */
export async function writeMachineStatus(
  deps: MachineDeps,
  { ref, status, seen }: Pick<WriteMachineStatus, 'ref' | 'status' | 'seen'>,
): Promise<SeenStatus | undefined> {
  const kind = deps.apis.kindOf('machine', ref);
  const isDone = (stored: StoredObject) => isSameJson(kind.read(stored).machine.status, status);
  const write = async (resourceVersion: string) => {
    const stored = await applyMachineStatus(deps, ref, status, resourceVersion);
    return status.deletion === undefined ? withoutDeletion(deps, ref, stored) : stored;
  };
  return deps.reader.writingStatus(ref, write, { seen, isDone });
}

/**
 * What we never applied, or somebody else wrote as well, stays when we apply nothing: as how far a deletion had come, in an object
 * that was restored from a backup. Its next deletion would be taken for that one.
 */
async function withoutDeletion(
  { kube, apis }: MachineDeps,
  ref: ObjectRef,
  stored: StoredObject,
): Promise<StoredObject> {
  const kind = apis.kindOf('machine', ref);
  const status = kind.withoutDeletion?.(stored);
  if (status === undefined) return stored;
  const { resourceVersion } = stored.metadata;
  const body = { metadata: { uid: ref.uid, resourceVersion }, status };
  const options = { fieldManager: MACHINE_FIELD_MANAGER, subresource: 'status' } as const;
  return kube.mergePatch<StoredObject>(kind.resource, ref.namespace, ref.name, body, options);
}

/** The same, over this version only. */
export function applyMachineStatus(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  ref: ObjectRef,
  status: MachineStatus,
  resourceVersion: string | undefined,
): Promise<StoredObject> {
  const written = { status, fieldManager: MACHINE_FIELD_MANAGER, resourceVersion };
  return applyStatus(kube, apis.kindOf('machine', ref), ref, written);
}
