import type { MachineSetKind, Api, StoredObject } from '../../k8s/dialects/kind.ts';
import type { MachineDeployment } from '../../k8s/model/machine-deployment.ts';
import type { LabelSelector, MachineSet } from '../../k8s/model/machine-set.ts';
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
  /** Changes with what it asks for, and what health checks go by: how many, whether it is held, and whether cluster-autoscaler may have fewer. */
  readonly askedFor: string;
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
    isHeld: isHeld(machineSet),
    askedFor: askedFor(machineSet),
    ...keysOfNamed(api, ref.namespace, { clusterName, machineClass: template.machineClass }),
  };
}

type Asking = Pick<MachineSet | MachineDeployment, 'replicas' | 'paused' | 'deletedAt' | 'autoscaledFrom'>;

function isHeld({ paused, deletedAt }: Asking): boolean {
  return paused || deletedAt !== undefined;
}

/** What a health check goes by of a set, or a deployment. */
export function askedFor(asking: Asking): string {
  return `${asking.replicas} ${isHeld(asking)} ${asking.autoscaledFrom ?? ''}`;
}
