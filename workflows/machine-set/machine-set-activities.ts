import type { MachineSetStatus } from '../../k8s/model/machine-set.ts';
import type { ReplicaPlan, Chosen } from './plan-replicas.ts';
import type { Mark } from './marks.ts';
import type { Refused } from './refusals.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { EntitySettings } from '../settings.ts';

/** The port between a machine set's workflow and the outside, as `machine-activities.ts` is for a machine's. */
export interface MachineSetActivities {
  /** A live look at the set and at the Machines of its namespace, and what follows from it. */
  surveyReplicas(request: SurveyReplicas): Promise<ReplicaSurvey>;
  /**
   * Creates Machines of these names in growing batches, as many as the set lacks by a look before each batch. Safe to
   * repeat: a name that exists already is not created again.
   */
  createMachines(request: CreateMachines): Promise<CreateAnswer>;
  /**
   * Deletes what the set has too many by a look before each batch; the first to go are chosen by that look. Safe to repeat.
   */
  deleteMachines(request: ChangeMachines): Promise<DeleteAnswer>;
  /** Makes the set the controller of these Machines, and of those no longer. Safe to repeat. */
  adoptAndRelease(request: AdoptAndRelease): Promise<AdoptAnswer>;
  /** Has Machines follow their template's settings, in batches, each by a look before it. Safe to repeat. */
  updateMachines(request: ChangeMachines): Promise<ChangeAnswer>;
  /** Takes marks off that cluster-autoscaler left when it gave up. Safe to repeat. */
  dropStaleMarks(request: ObjectTarget & { readonly marks: readonly Mark[] }): Promise<void>;
  writeMachineSetStatus(request: WriteMachineSetStatus): Promise<void>;
}

export interface SurveyReplicas extends ObjectTarget {
  /** Names issued and not yet seen. */
  readonly issued: readonly string[];
}

export type ReplicaSurvey =
  | { readonly found: false }
  /** The stored object is not what its schema allows. */
  | { readonly found: 'malformed'; readonly message: string; readonly resyncSeconds: number }
  | {
      readonly found: true;
      readonly generation: number;
      readonly deleting: boolean;
      readonly paused: boolean;
      /** The Cluster that it is paused by, as the beginning of "… is paused"; absent: its own annotation. */
      readonly pausedBy?: string;
      /** Whether the Cluster is paused cannot be read, and nothing will tell when it can. */
      readonly isUnsure?: boolean;
      readonly replicas: number;
      /** A deployment tells it how many. @default people and autoscalers do */
      readonly isOfDeployment?: true;
      readonly plan: ReplicaPlan;
      /** As stored. */
      readonly status: Partial<MachineSetStatus>;
      /** That status, for the write of the next one. */
      readonly seen?: SeenStatus;
      /** What its Nodes will be like follows from this; absent: nobody has to know. */
      readonly capacityKey?: string;
      readonly settings: EntitySettings;
    };

export interface CreateMachines extends ObjectTarget {
  readonly names: readonly string[];
}

export type CreateAnswer =
  /** As many as the set still lacked, of those names. This try did not ask for the others. */
  | { readonly outcome: 'done'; readonly created: number }
  /** The API server refused one. Some of the others may be there. */
  | { readonly outcome: 'refused'; readonly message: string };

/** Those of a set's Machines that a look before each batch says are to be changed. */
export interface SomeMachines {
  /** How many there were when this was planned: makes the size of the batches. */
  readonly count: number;
  /** uids of Machines that were refused, and are not tried now. */
  readonly skip: readonly string[];
}

export interface ChangeMachines extends ObjectTarget, SomeMachines {}

export interface ChangeAnswer {
  /** False where another look is due: time was up before all were tried, or one changed meanwhile. */
  readonly isDone: boolean;
  readonly refused?: Refused;
}

export interface DeleteAnswer extends ChangeAnswer {
  readonly deleted: number;
  /** How many are left that may not go yet, as others of their deployment are not available. Absent: none. */
  readonly heldBack?: number;
}

export interface AdoptAndRelease extends ObjectTarget {
  readonly adopt: readonly Chosen[];
  readonly release: readonly Chosen[];
}

export interface AdoptAnswer {
  readonly notAdopted?: Refused;
  readonly notReleased?: Refused;
}

export interface WriteMachineSetStatus extends ObjectTarget {
  readonly status: MachineSetStatus;
  /** The look that it follows from. */
  readonly seen?: SeenStatus;
  /** What is worth an event, because it was not so before. */
  readonly events: readonly ObjectEvent[];
}
