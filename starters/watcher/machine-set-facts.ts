import type { MachineSetKind, Api, StoredObject } from '../../k8s/dialects/kind.ts';
import type { LabelSelector } from '../../k8s/model/machine-set.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { setFailureOf } from '../../k8s/model/set-failure.ts';
import { given } from '../../providers/given.ts';
import { digest } from './fingerprint.ts';
import { keysOfNamed, type NamedKeys } from './object-key.ts';
import { ownFacts, type OwnFacts } from './own-facts.ts';

/** What the watcher keeps of a MachineSet. */
export interface MachineSetFacts extends OwnFacts<'machineSet'>, NamedKeys {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** How many Machines it wants, and how many its status says there are, for the metrics. */
  readonly replicas: Readonly<Record<'wanted' | 'total' | 'ready' | 'available', number>>;
  readonly selector: LabelSelector;
  /** The MachineDeployment that controls it. */
  readonly deployment?: ObjectRef;
  /** Nothing controls it: a deployment may adopt it. */
  readonly isOrphan: boolean;
  readonly templateLabels: Readonly<Record<string, string>>;
  /** Changes with what concerns its MachineDeployment. */
  readonly ownerFingerprint: string;
  /** It makes no machines now: it is paused, or goes. */
  readonly isHeld: boolean;
}

export function machineSetFacts(object: StoredObject, kind: MachineSetKind, api: Api): MachineSetFacts {
  const read = kind.read(object);
  const { machineSet, status, meta, clusterName } = read;
  const { ref, replicas, selector, template } = machineSet;
  return {
    ...ownFacts(read, kind),
    createdAt: Date.parse(meta.createdAt),
    replicas: {
      wanted: replicas,
      total: status.replicas ?? 0,
      ready: status.readyReplicas ?? 0,
      available: status.availableReplicas ?? 0,
    },
    selector,
    ...given({ deployment: machineSet.deployment }),
    isOrphan: meta.controller === undefined,
    templateLabels: template.labels,
    // How many Machines there are its deployment counts itself.
    ownerFingerprint: digest([machineSet, status.observedGeneration, setFailureOf(status), meta.controller?.uid]),
    isHeld: machineSet.paused || machineSet.deletedAt !== undefined,
    ...keysOfNamed(api, ref.namespace, { clusterName, machineClass: template.machineClass }),
  };
}
