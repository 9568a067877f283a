import type { MachineDeploymentStatus, RolledBack } from '../../k8s/model/machine-deployment.ts';
import type { SetOrder } from '../../k8s/model/machine-set.ts';
import type { HeldDeletion } from '../../k8s/model/rollout-machine.ts';
import type { SetFailure } from '../../k8s/model/set-failure.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { Failure } from '../retry.ts';
import type { EntitySettings } from '../settings.ts';
import type { Hold } from './hold.ts';
import type { NewMachines } from './new-machines.ts';
import type { Pause } from './pauses.ts';
import type { ScaleDown } from './scale-down.ts';
import type { ScaleUp } from './scale-up.ts';
import type { PreflightSight } from './preflight.ts';
import type { WayBack } from './roll-back.ts';
import type { Rollout } from './rollout.ts';
import type { StepSight } from './steps.ts';

/**
 * The port between a deployment's workflow and the outside. Whatever changes something looks at the deployment right before: where that
 * is not what it was surveyed as, it fails as `ObjectChanged`. All are safe to repeat.
 */
export interface MachineDeploymentActivities {
  /** A live look at the deployment, its sets and their Machines, and what follows from it. */
  surveyRollout(request: SurveyRollout): Promise<RolloutSurvey>;
  /** Asks the cloud whether it would launch a Machine of the template, and what holds up the drains of those of earlier ones. */
  preflight(request: Preflight): Promise<PreflightAnswer>;
  /** Has Machines look at their instances; one whose workflow does not run is nobody to ask. */
  inspectMachines(request: ObjectTarget & { readonly machines: readonly NamedMachine[] }): Promise<void>;
  /** Pauses the rollout: the template of a set that is adopted is another one. */
  pauseRollout(request: OnSurveyed): Promise<void>;
  /** Puts the template of a set in the place of its own, and keeps on record why. */
  rollBack(request: RollBack): Promise<void>;
  /** Makes the deployment the controller of these sets. */
  adoptSets(request: OnSurveyed & { readonly sets: readonly NamedSet[] }): Promise<void>;
  /** Makes the set of the template as it is now, of no Machines. */
  createSet(request: OnSurveyed & { readonly name: string; readonly revision: number }): Promise<void>;
  /** Tells sets how many Machines to have, each as it was surveyed. */
  orderSets(request: OnSurveyed & { readonly orders: readonly Ordered[] }): Promise<void>;
  /** Deletes sets that have no Machines and are not needed to go back to. */
  removeSets(request: OnSurveyed & { readonly sets: readonly NamedSet[] }): Promise<void>;
  writeMachineDeploymentStatus(request: WriteMachineDeploymentStatus): Promise<void>;
}

export interface SurveyRollout extends ObjectTarget {
  /** Of the deployment, as far as they were known until now. Absent: it is the first look. */
  readonly pauses?: readonly Pause[];
  /** What its sets come down to, by the look before. Absent: nothing. */
  readonly scaleDown?: ScaleDown;
  /** What its sets come up to, by the look before. Absent: nothing. */
  readonly scaleUp?: ScaleUp;
  /** How many Machines were wanted at the look before. Absent: it is the first look. */
  readonly replicasBefore?: number;
}

export interface OnSurveyed extends ObjectTarget {
  /** Of the deployment when it was surveyed. */
  readonly generation: number;
}

export interface Preflight extends OnSurveyed {
  /** Of the template. */
  readonly revision: number;
  /** There are Machines of it: the cloud is not asked, and only what holds up drains is looked for. @default false */
  readonly hasNew?: boolean;
}

export type PreflightAnswer =
  /** As far as the cloud tells. The message: what may hold the rollout up all the same. */
  | { readonly outcome: 'passed'; readonly message?: string }
  /** It would not, until something is mended. */
  | { readonly outcome: 'refused'; readonly message: string }
  /** It has no answer now. */
  | { readonly outcome: 'later'; readonly failure: Failure };

export interface RollBack extends OnSurveyed {
  readonly to: NamedSet;
  /** Hash of the template whose Machines failed, and its revision. */
  readonly from: string;
  readonly revision: number;
  /** Which Machine failed, and how. */
  readonly why: string;
}

/** A Machine of one of its sets. */
export interface NamedMachine {
  readonly name: string;
  readonly uid: string;
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
  /** Its template has other settings than the deployment wants of it. */
  readonly isBehind?: true;
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
  /** Its own annotation was put there by a take-over. */
  readonly pausedByTakeOver?: true;
  /** Whether the Cluster is paused cannot be read, and nothing will tell when it can. */
  readonly isUnsure?: boolean;
  readonly rollout: Rollout;
  /** What lets the rollout go no farther; absent: nothing does. */
  readonly hold?: Hold;
  /** What is known of a launch of the template; absent: nothing is rolled out. */
  readonly preflight?: PreflightSight;
  /** Where it stands among its steps; absent: it has none. */
  readonly step?: StepSight;
  readonly steps: RolloutSteps;
  readonly counts: Pick<
    MachineDeploymentStatus,
    'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas' | 'unavailableReplicas' | 'labelSelector'
  >;
  /** How the Machines of the template as it is now come up. */
  readonly coming: NewMachines;
  /** The Machine, of whichever set, whose deletion waits for something; absent: there is none. */
  readonly heldUp?: HeldUp;
  /** Of the template as it is now. */
  readonly templateHash: string;
  /** How long one of them may take from its launch, in milliseconds. */
  readonly deadlineMs: number;
  /** How many of them have to fail for the rollout to pause; absent: it never does for that. */
  readonly failureThreshold?: number;
  /** Where it goes back to when they do; absent: it only stops. */
  readonly wayBack?: WayBack;
  /** That it was rolled back by itself, to the template as it is now. */
  readonly rolledBack?: RolledBack;
  /** When the next Machine becomes available by minReadySeconds, in milliseconds. */
  readonly availableAt?: number;
  /** What one of its sets is refused, and which. */
  readonly failure?: SetFailure;
  /** Name of a set of it that is paused by an annotation of its own; absent: none is that has, or is to have, Machines. */
  readonly pausedSet?: string;
  /** Of the deployment, the earliest first: no Machine is late for them. */
  readonly pauses: readonly Pause[];
  /** What its sets come down to; absent: it has not too many Machines, or of one template only. */
  readonly scaleDown?: ScaleDown;
  /** What its sets come up to; absent: nothing was asked for, or all sets have answered to that. */
  readonly scaleUp?: ScaleUp;
  /** The API server answered after many tries only. */
  readonly wasAway?: true;
  /** As stored. */
  readonly status: Partial<MachineDeploymentStatus>;
  /** That status, for the write of the next one. */
  readonly seen?: SeenStatus;
  /** What its Nodes will be like follows from this; absent: nobody has to know. */
  readonly capacityKey?: string;
  readonly settings: EntitySettings;
}

/** A Machine that keeps its place although it is being deleted. */
export interface HeldUp {
  readonly name: string;
  readonly reason: HeldDeletion;
  /** How many others do. */
  readonly more: number;
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
  /** The look that it follows from. */
  readonly seen?: SeenStatus;
  /** What is worth an event, because it was not so before. */
  readonly events: readonly ObjectEvent[];
}
