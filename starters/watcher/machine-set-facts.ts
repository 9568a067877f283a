import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import { CLUSTER_LABEL } from '../../k8s/model/labels.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINE_SETS } from '../../k8s/resources.ts';
import { fingerprintOf } from './fingerprint.ts';

/** What the watcher keeps of a MachineSet. */
export interface MachineSetFacts {
  readonly ref: ObjectRef;
  /** Changes with what concerns its own workflow. */
  readonly fingerprint: string;
  readonly selector: LabelSelector;
  /** Value of the cluster label, of the set or of its template; empty where both lack it. */
  readonly cluster: string;
  /** Name of the MachineClass that its template refers to. */
  readonly machineClass?: string;
}

/** Reads a MachineSet, also one that no schema has checked. */
export function machineSetFacts({ metadata, spec }: MachineSetObject): MachineSetFacts {
  const { namespace, name, uid, labels = {} } = metadata;
  const machineClass = spec?.template?.spec?.providerSpec?.valueFrom?.machineClass?.name;
  return {
    ref: { apiVersion: MACHINE_SETS.apiVersion, kind: MACHINE_SETS.kind, namespace, name, uid },
    fingerprint: fingerprintOf(metadata, spec),
    selector: { ...spec?.selector },
    cluster: labels[CLUSTER_LABEL] ?? spec?.template?.metadata?.labels?.[CLUSTER_LABEL] ?? '',
    ...(machineClass === undefined ? {} : { machineClass }),
  };
}
