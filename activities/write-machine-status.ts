import type { StoredObject } from '../k8s/dialects/kind.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineStatus } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { applyStatus } from './apply-status.ts';
import type { ActivityDeps, MachineDeps } from './deps.ts';

/** Writes the whole status of a Machine over what was seen last. */
export async function writeMachineStatus(deps: MachineDeps, ref: ObjectRef, status: MachineStatus): Promise<void> {
  await deps.reader.writingStatus(ref, (resourceVersion) => applyMachineStatus(deps, ref, status, resourceVersion));
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
