import type { MachineDeploymentStatus } from '../../k8s/model/machine-deployment.ts';
import type { SetOrder } from '../../k8s/model/machine-set.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { EntitySettings } from '../settings.ts';
import type { NewMachines } from './new-machines.ts';
import type { Rollout } from './rollout.ts';

/**
 * The port between a deployment's workflow and the outside. Whatever changes something looks at the deployment right before: where that
 * is not what it was surveyed as, it fails as `ObjectChanged`. All are safe to repeat.
 */
export interface MachineDeploymentActivities {
  /** A live look at the deployment, its sets and their Machines, and what follows from it. */
  surveyRollout(target: ObjectTarget): Promise<RolloutSurvey>;
  /** Pauses the rollout: the template of a set that is adopted is another one. */
  pauseRollout(request: OnSurveyed): Promise<void>;
  /** Makes the deployment the controller of these sets. */
  adoptSets(request: OnSurveyed & { readonly sets: readonly NamedSet[] }): Promise<void>;
  /** Makes the set of the template as it is now, of no Machines. */
  createSet(request: OnSurveyed & { readonly revision: number }): Promise<void>;
  /** Tells sets how many Machines to have, each as it was surveyed. */
  orderSets(request: OnSurveyed & { readonly orders: readonly Ordered[] }): Promise<void>;
  /** Deletes sets that have no Machines and are not needed to go back to. */
  removeSets(request: OnSurveyed & { readonly sets: readonly NamedSet[] }): Promise<void>;
  writeMachineDeploymentStatus(request: WriteMachineDeploymentStatus): Promise<void>;
}

export interface OnSurveyed extends ObjectTarget {
  /** Of the deployment when it was surveyed. */
  readonly generation: number;
}

/** A set as it was seen. */
export interface NamedSet {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What is wanted of a set. */
export interface Ordered {
  readonly set: NamedSet;
  readonly order: SetOrder;
  /** How many Machines it was to have until now. */
  readonly from: number;
}

export type RolloutSurvey =
  | { readonly found: false }
  /** The stored object is not what its schema allows. */
  | { readonly found: 'malformed'; readonly message: string; readonly resyncSeconds: number }
  | FoundRollout;

export interface FoundRollout {
  readonly found: true;
  readonly generation: number;
  readonly deleting: boolean;
  /** Nothing is done. */
  readonly paused: boolean;
  /** The Cluster that it is paused by, as the beginning of "… is paused"; absent: its own annotation. */
  readonly pausedBy?: string;
  /** Whether the Cluster is paused cannot be read, and nothing will tell when it can. */
  readonly isUnsure?: boolean;
  readonly rollout: Rollout;
  readonly steps: RolloutSteps;
  readonly counts: Pick<
    MachineDeploymentStatus,
    'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas' | 'unavailableReplicas' | 'labelSelector'
  >;
  /** How the Machines of the template as it is now come up. */
  readonly coming: NewMachines;
  /** Of that template. */
  readonly templateHash: string;
  /** How many of them have to fail for the rollout to pause; absent: it never does for that. */
  readonly failureThreshold?: number;
  /** When the next Machine becomes available by minReadySeconds, in milliseconds. */
  readonly availableAt?: number;
  /** Why one of its sets cannot have what it is to have, and which. */
  readonly failure?: string;
  /** As stored. */
  readonly status: Partial<MachineDeploymentStatus>;
  readonly settings: EntitySettings;
}

/** What is to be done. */
export interface RolloutSteps {
  readonly adopt: readonly NamedSet[];
  /** A set to adopt has another template: somebody has to say that it may roll. */
  readonly pauseFirst: boolean;
  /** There is no set of the template as it is now. Absent: there is, or it cannot be made. */
  readonly create?: { readonly name: string; readonly revision: number };
  /** Name of a set that stands where the one to make would. */
  readonly taken?: string;
  readonly orders: readonly Ordered[];
  readonly remove: readonly NamedSet[];
}

export interface WriteMachineDeploymentStatus extends ObjectTarget {
  readonly status: MachineDeploymentStatus;
  /** What is worth an event, because it was not so before. */
  readonly events: readonly ObjectEvent[];
}
