import type { MachineClassObject } from '../../k8s/api/machine-class.ts';
import { MACHINE_CLASS_FINALIZER } from '../../k8s/model/labels.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINE_CLASSES } from '../../k8s/resources.ts';

/** What the watcher keeps of a MachineClass. */
export interface MachineClassFacts {
  readonly ref: ObjectRef;
  readonly generation: number;
  /** Being deleted, and held by our finalizer alone or among others: it goes when nothing refers to it any more. */
  readonly isLeaving: boolean;
}

/** Reads a MachineClass, also one that no schema has checked. */
export function machineClassFacts({ metadata }: MachineClassObject): MachineClassFacts {
  const { namespace, name, uid, generation } = metadata;
  return {
    ref: { apiVersion: MACHINE_CLASSES.apiVersion, kind: MACHINE_CLASSES.kind, namespace, name, uid },
    generation,
    isLeaving:
      metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(MACHINE_CLASS_FINALIZER) === true,
  };
}
