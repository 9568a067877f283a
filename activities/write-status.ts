import type { StoredObject } from '../k8s/dialects/kind.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineStatus } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { ActivityDeps, MachineDeps } from './deps.ts';

/** Writes the whole status of a Machine, as the one owner of its fields, over what was seen last. */
export async function writeStatus(deps: MachineDeps, ref: ObjectRef, status: MachineStatus): Promise<void> {
  await deps.reader.writingStatus(ref, (resourceVersion) => applyStatus(deps, ref, status, resourceVersion));
}

/** The same, over this version only. */
export function applyStatus(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  ref: ObjectRef,
  status: MachineStatus,
  resourceVersion: string | undefined,
): Promise<StoredObject> {
  const kind = apis.kindOf('machine', ref);
  return kube.apply(
    kind.resource,
    ref.namespace,
    ref.name,
    { metadata: { uid: ref.uid, resourceVersion }, status: kind.writeStatus(status) },
    { fieldManager: MACHINE_FIELD_MANAGER, subresource: 'status' },
  );
}
