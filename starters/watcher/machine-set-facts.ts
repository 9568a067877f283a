import type { MachineSetKind, Api } from '../../k8s/dialects/kind.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { MachineSetReading } from '../../k8s/model/reading.ts';
import { fingerprintOf } from './fingerprint.ts';
import { keysOfNamed, type NamedKeys } from './object-key.ts';

/** What the watcher keeps of a MachineSet. */
export interface MachineSetFacts extends NamedKeys {
  readonly role: 'machineSet';
  readonly ref: ObjectRef;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** How many Machines it wants, and how many its status says there are, for the metrics. */
  readonly replicas: Readonly<Record<'wanted' | 'total' | 'ready' | 'available', number>>;
  /** Changes with what concerns its own workflow. */
  readonly fingerprint: string;
  readonly selector: LabelSelector;
  /** Name of the cluster that its Machines are of; empty where nothing says it. */
  readonly cluster: string;
}

export function machineSetFacts(read: MachineSetReading, kind: MachineSetKind, api: Api): MachineSetFacts {
  const { machineSet, status, meta, cluster } = read;
  const { ref, replicas, selector, template } = machineSet;
  return {
    role: 'machineSet',
    ref,
    createdAt: Date.parse(meta.createdAt),
    replicas: {
      wanted: replicas,
      total: status.replicas ?? 0,
      ready: status.readyReplicas ?? 0,
      available: status.availableReplicas ?? 0,
    },
    fingerprint: fingerprintOf(read, kind),
    selector,
    cluster,
    ...keysOfNamed(api, ref.namespace, { cluster, machineClass: template.machineClass }),
  };
}
