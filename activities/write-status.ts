import type { KubeClient } from '../k8s/client.ts';
import { dialectOf } from '../k8s/dialects/registry.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineStatus } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { MachineDeps } from './deps.ts';
import type { StoredMachine } from './machine-reader.ts';

/** Writes the whole status of a Machine, as the one owner of its fields, over what was seen last. */
export async function writeStatus({ kube, reader }: MachineDeps, ref: ObjectRef, status: MachineStatus): Promise<void> {
  await reader.writingStatus(ref, (resourceVersion) => applyStatus(kube, ref, status, resourceVersion));
}

/** The same, over this version only. */
export function applyStatus(
  kube: KubeClient,
  ref: ObjectRef,
  status: MachineStatus,
  resourceVersion: string | undefined,
): Promise<StoredMachine> {
  const dialect = dialectOf(ref);
  return kube.apply(
    dialect.machines,
    ref.namespace,
    ref.name,
    { metadata: { uid: ref.uid, resourceVersion }, status: dialect.writeMachineStatus(status) },
    { fieldManager: MACHINE_FIELD_MANAGER, subresource: 'status' },
  );
}
