import { dialectOf } from '../k8s/dialects/registry.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { MachineStatus } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { MachineDeps } from './deps.ts';

/** Writes the whole status of a Machine, as the one owner of its fields. */
export async function writeStatus({ kube, reader }: MachineDeps, ref: ObjectRef, status: MachineStatus): Promise<void> {
  const dialect = dialectOf(ref);
  await reader.writingStatus(ref, (resourceVersion) =>
    kube.apply(
      dialect.machines,
      ref.namespace,
      ref.name,
      { metadata: { uid: ref.uid, resourceVersion }, status: dialect.writeMachineStatus(status) },
      { fieldManager: MACHINE_FIELD_MANAGER, subresource: 'status' },
    ),
  );
}
