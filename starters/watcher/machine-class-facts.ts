import type { MachineClassObject } from '../../k8s/api/machine-class.ts';
import { definitionOf } from '../../k8s/dialects/openshift/definition.ts';
import { createWellFormedCheck } from '../../k8s/dialects/well-formed.ts';
import { MACHINE_CLASS_FINALIZER } from '../../k8s/model/labels.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINE_CLASSES } from '../../k8s/resources.ts';
import { unreadableOf } from './fingerprint.ts';

/** What the watcher keeps of a MachineClass. */
export interface MachineClassFacts {
  readonly ref: ObjectRef;
  /** Changes with what it says, and not with its status, unless that cannot be read. */
  readonly fingerprint: string;
  /** Being deleted, and held by our finalizer alone or among others: it goes when nothing refers to it any more. */
  readonly isLeaving: boolean;
}

const problemsOf = createWellFormedCheck(definitionOf(MACHINE_CLASSES));

/** Reads a MachineClass, also one that no schema has checked. */
export function machineClassFacts(object: MachineClassObject): MachineClassFacts {
  const { metadata, status } = object;
  const { namespace, name, uid, generation } = metadata;
  return {
    ref: { apiVersion: MACHINE_CLASSES.apiVersion, kind: MACHINE_CLASSES.kind, namespace, name, uid },
    fingerprint: `${generation}${unreadableOf(problemsOf(object), status)}`,
    isLeaving:
      metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(MACHINE_CLASS_FINALIZER) === true,
  };
}
