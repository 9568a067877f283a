import type { CompletedMachine, MachineStatus } from '../../k8s/model/machine.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { ControlPlaneActivities } from './control-plane-activities.ts';
import type { DrainActivities } from './drain-activities.ts';
import type { InstanceActivities } from './instance-activities.ts';
import type { LaunchActivities } from './launch-activities.ts';
import type { LoadBalancerActivities } from './load-balancer-activities.ts';
import type { NodeActivities, NodeSighting, NodeTarget } from './node-activities.ts';
import type { RebootActivities } from './reboot-activities.ts';
import type { MachineSettings } from './settings.ts';

/**
 * The port between a machine's workflow and the outside. Every method is one activity; its answer is data, small enough
 * to be recorded and free of secrets. Implemented in `activities/`.
 *
 * They fail with the ApplicationFailure types of `workflows/failure-types.ts`: `ObjectChanged` means that the object is not what the
 * workflow thought, so it looks again.
 */
export interface MachineActivities
  extends
    LaunchActivities,
    InstanceActivities,
    NodeActivities,
    LoadBalancerActivities,
    DrainActivities,
    ControlPlaneActivities,
    RebootActivities {
  /** A live look at the Machine, and at its Node where it has one. */
  observeMachine(request: ObserveMachine): Promise<MachineSighting>;
  /** Puts our finalizer on the Machine, where it is missing. */
  addFinalizer(target: MachineTarget): Promise<void>;
  /** Writes the Machine's whole status. Answers what the next write of it goes by. */
  writeMachineStatus(request: WriteMachineStatus): Promise<SeenStatus | undefined>;
  /** Takes off the Machine what was written for a deletion that is over, unless it is to be deleted again. */
  forgetDeletion(target: MachineTarget): Promise<void>;
  /** Deletes the Machine, if it is still to go by `spec.delete` and no hook holds that. */
  deleteMachine(request: DeleteMachine): Promise<KubernetesAnswer>;
  /** Deletes the Machine's Node, lets the object go, and records the events; with a `nodeMark`, the events first. Safe to repeat, also after it worked. */
  letGo(request: LetGo): Promise<KubernetesAnswer>;
  /** Says that a Machine vanished while its instance may still run. */
  reportSuspectedOrphan(request: MachineTarget & { readonly message: string }): Promise<void>;
}

export type MachineTarget = ObjectTarget;

export interface DeleteMachine extends MachineTarget {
  /** No instance is to be terminated, and none may be launched: so no hook waits for that. @default hooks hold it */
  readonly hasNoTermination?: true;
}

/** What came of a request to the API server. */
export type KubernetesAnswer =
  /** Or there was nothing to do any more. */
  | { readonly outcome: 'done' }
  /** The API server could not do it now. */
  | { readonly outcome: 'failed'; readonly message: string };

export interface ObserveMachine extends MachineTarget {
  /** The workflow has not seen the Machine before: also look how old it is, and whether a Node names it. @default false */
  readonly isFirst?: true;
  /** The end of its instance was asked for: its Node is not looked at. @default false */
  readonly isEnding?: true;
}

export type MachineSighting = { readonly found: false } | FoundMachine;

export interface FoundMachine {
  readonly found: true;
  readonly machine: CompletedMachine;
  /** For the first write of its status. */
  readonly seen?: SeenStatus;
  /** Provider's name; absent where the spec names none that is known. */
  readonly provider?: string;
  /** The Node in status.nodeRef; absent where it has none, where that Node is gone, and where the machine is ending. */
  readonly node?: NodeSighting;
  /** The providerID of the Node that has the name in status.nodeRef, where that names another instance: it is not the Machine's. */
  readonly nodeOfAnother?: string;
  /** At a first look: a Node says that it is the Machine's, of which the Machine itself says nothing. */
  readonly isNamedByNode?: true;
  /** At a first look: since the Machine was created, in milliseconds, by the API server's own time where that tells it. */
  readonly ageMs?: number;
  readonly settings: MachineSettings;
}

export type MachineEvent = ObjectEvent;

export interface WriteMachineStatus extends MachineTarget {
  readonly status: MachineStatus;
  /** As the Machine was when its status was decided. */
  readonly seen?: SeenStatus;
  readonly events: readonly MachineEvent[];
}

export interface LetGo extends NodeTarget {
  readonly events: readonly MachineEvent[];
  /** The Node is not deleted, but cordoned and marked with this: nobody knows whether the instance runs. @default it is deleted */
  readonly nodeMark?: string;
  /** When it was looked at, it was to go by its spec: `spec.delete`. An abort that came since is told of. */
  readonly isWished?: true;
}
