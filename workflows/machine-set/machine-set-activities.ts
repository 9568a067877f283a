import type { MachineSetStatus } from '../../k8s/model/machine-set.ts';
import type { ReplicaPlan, Victim } from './plan-replicas.ts';
import type { MachineSettings } from '../machine/settings.ts';
import type { MachineEvent, MachineTarget } from '../machine/machine-activities.ts';

/** The port between a machine set's workflow and the outside, as `machine-activities.ts` is for a machine's. */
export interface MachineSetActivities {
  /** A live look at the set and at the Machines of its namespace, and what follows from it. */
  surveyReplicas(request: SurveyReplicas): Promise<ReplicaSurvey>;
  /**
   * Creates Machines of these names in growing batches, for as long as the set still asks for `replicas`. Safe to
   * repeat: a name that exists already is not created again.
   */
  createMachines(request: CreateMachines): Promise<CreateAnswer>;
  /** Deletes Machines, for as long as the set still asks for `replicas`. */
  deleteMachines(request: DeleteMachines): Promise<void>;
  /** Makes the set the controller of these Machines, and of those no longer. */
  adoptAndRelease(request: AdoptAndRelease): Promise<void>;
  writeMachineSetStatus(request: WriteMachineSetStatus): Promise<void>;
}

export interface SurveyReplicas extends MachineTarget {
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
      readonly replicas: number;
      readonly plan: ReplicaPlan;
      /** As stored. */
      readonly status: Partial<MachineSetStatus>;
      readonly settings: Pick<MachineSettings, 'backoff' | 'heartbeatSeconds' | 'resyncSeconds'>;
    };

export interface CreateMachines extends MachineTarget {
  readonly names: readonly string[];
  readonly replicas: number;
}

export type CreateAnswer =
  | { readonly outcome: 'created' }
  /** The set asks for something else by now, or is paused or gone. */
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'refused'; readonly reason: string; readonly message: string };

export interface DeleteMachines extends MachineTarget {
  readonly victims: readonly Victim[];
  readonly replicas: number;
}

export interface AdoptAndRelease extends MachineTarget {
  readonly adopt: readonly Victim[];
  readonly release: readonly Victim[];
}

export interface WriteMachineSetStatus extends MachineTarget {
  readonly status: MachineSetStatus;
  readonly event?: MachineEvent;
}
