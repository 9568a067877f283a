import type { CloudAccess, Machine, MachineStatus, NodeRef, PreparedLaunch } from '../../k8s/model/machine.ts';
import type { ConditionReason, WaitReason } from '../../k8s/model/reasons/reasons.ts';
import type { Instance, InstanceState, LaunchParameters } from '../../providers/provider.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { ControlPlaneActivities } from './control-plane-activities.ts';
import type { DrainActivities } from './drain-activities.ts';
import type { CloudFailure } from './launch-record.ts';
import type { MachineSettings } from './settings.ts';

/**
 * The port between a machine's workflow and the outside. Every method is one activity; its answer is data, small enough
 * to be recorded and free of secrets. Implemented in the files beside this one.
 *
 * They fail with the ApplicationFailure types of `failures.ts`: `ObjectChanged` means that the object is not what the
 * workflow thought, so it looks again.
 */
export interface MachineActivities extends DrainActivities, ControlPlaneActivities {
  /** A live look at the Machine, and at its Node where it has one. */
  observeMachine(request: ObserveMachine): Promise<MachineSighting>;
  /** Resolves and freezes the launch parameters of an attempt and stores them in the Machine's status. */
  prepareLaunch(request: PrepareLaunch): Promise<PrepareAnswer>;
  /** Asks the cloud for the instance, once; looks it up first where an earlier call may have made it. */
  launchInstance(request: LaunchInstance): Promise<LaunchAnswer>;
  /** Looks up the instances of this Machine by its uid and the token. */
  findInstances(request: FindInstances): Promise<FindAnswer>;
  /** Looks at one instance; looks of many machines share one call to the cloud. */
  lookAtInstance(request: LookAtInstance): Promise<InstanceLook>;
  /** Writes what the cloud gave into the Machine: providerID, labels and status. */
  recordInstance(request: RecordInstance): Promise<void>;
  /** Puts our finalizer on the Machine, where it is missing. */
  addFinalizer(target: MachineTarget): Promise<void>;
  /** Ends an instance that the Machine launched besides the one on record. Looks whose it is right before. */
  endSurplusInstance(request: EndSurplusInstance): Promise<SurplusAnswer>;
  /** Finds the Node of the instance on record, and marks it as the Machine's. */
  joinNode(request: JoinNode): Promise<JoinAnswer>;
  /** Writes the Machine's whole status. */
  writeMachineStatus(request: WriteMachineStatus): Promise<void>;
  /** Puts the instance behind the load balancers of its launch, or of its spec where there was no launch. */
  attachLoadBalancers(request: BalanceInstance): Promise<BalanceAnswer>;
  /** Takes the instance from behind its load balancers. */
  detachLoadBalancers(request: BalanceInstance): Promise<BalanceAnswer>;
  /** Deletes the Machine, if it is still to go by `spec.delete` and no hook holds that. */
  deleteMachine(request: MachineTarget): Promise<DeleteMachineAnswer>;
  /** Asks the cloud to terminate the instance, and looks at it a moment later. Safe to repeat, by the instance's id. */
  terminateInstance(request: TerminateInstance): Promise<TerminateAnswer>;
  /** Deletes the Machine's Node, lets the object go, and records the events. Safe to repeat, also after it worked. */
  letGo(request: LetGo): Promise<LetGoAnswer>;
  /** Deletes a Node that {@link letGo} left, marked with `nodeMark`. Done, too, where there is none any more. */
  deleteMarkedNode(request: DeleteMarkedNode): Promise<void>;
  /** Looks whether the instance of a Machine that is gone has ended. Tried again while the cloud is away or throttles. */
  lookAtLeftover(request: LookAtLeftover): Promise<LeftoverLook>;
  /** Says that a Machine vanished while its instance may still run. */
  reportSuspectedOrphan(request: MachineTarget & { readonly message: string }): Promise<void>;
}

export type MachineTarget = ObjectTarget;

export type DeleteMachineAnswer =
  | { readonly outcome: 'done' }
  /** The API server could not do it now. */
  | { readonly outcome: 'failed'; readonly message: string };

export interface ObserveMachine extends MachineTarget {
  /** The workflow has not seen the Machine before: also look whether a Node names it. @default false */
  readonly isFirst?: true;
  /** The end of its instance was asked for: its Node is not looked at. @default false */
  readonly isEnding?: true;
}

export type MachineSighting = { readonly found: false } | FoundMachine;

export interface FoundMachine {
  readonly found: true;
  readonly machine: Machine;
  /** Provider's name; absent where the spec names none that is known. */
  readonly provider?: string;
  /** The Node in status.nodeRef; absent where it has none, where that Node is gone, and where the machine is ending. */
  readonly node?: NodeSighting;
  /** At a first look: a Node says that it is the Machine's, of which the Machine itself says nothing. */
  readonly isNamedByNode?: true;
  readonly settings: MachineSettings;
}

export interface NodeSighting extends NodeRef {
  readonly ready: 'True' | 'False' | 'Unknown';
  /** Since when, RFC 3339. */
  readonly readySince: string;
  readonly readyMessage: string;
  /** Carries the Machine's labels, taints and annotation. */
  readonly inSync: boolean;
  /** New pods are not put on it. */
  readonly isCordoned?: true;
  /** It is one of a control plane. */
  readonly isControlPlane?: true;
  /** It says that we cordoned it. */
  readonly isHeld?: true;
  /** It says that we told Kubernetes that nothing on it runs. */
  readonly isOutOfService?: true;
}

export type MachineEvent = ObjectEvent;

export interface PrepareLaunch extends MachineTarget {
  readonly attempt: number;
  /** Resolve again although this attempt is prepared: allowed only while nobody called it. */
  readonly replace: boolean;
  /** Status to write; the launch is added to it. */
  readonly status: MachineStatus;
}

export type PrepareAnswer =
  /** `found`: it stood in the status already, prepared by someone else. */
  | { readonly outcome: 'prepared'; readonly launch: PreparedLaunch; readonly found: boolean }
  /** Only a change of the spec helps, or, with `outsideSpec`, of what it names. */
  | {
      readonly outcome: 'invalid';
      readonly field?: string;
      readonly message: string;
      readonly outsideSpec?: boolean;
    }
  /** Something that the spec refers to is missing or does not fit: a Secret or its key, a MachineClass. */
  | { readonly outcome: 'missing'; readonly reason: WaitReason & ConditionReason; readonly message: string }
  | { readonly outcome: 'failed'; readonly failure: CloudFailure }
  /** Deleted, paused, or given an instance since it was looked at. */
  | { readonly outcome: 'changed' };

export interface LaunchInstance extends MachineTarget {
  readonly clusterName: string;
  readonly launch: PreparedLaunch;
  readonly lookFirst: boolean;
  /** Every earlier call that may have taken effect was throttled: the token makes the repeat the same call, without a look. */
  readonly trustToken?: true;
}

export type LaunchAnswer =
  | { readonly outcome: 'instance'; readonly instance: Instance; readonly found: boolean }
  /** `calledAt`: when the call was sent, by the worker's clock, in milliseconds. */
  | { readonly outcome: 'refused'; readonly failure: CloudFailure; readonly calledAt: number }
  | NotCalled;

/** The cloud was not asked to launch. */
export interface NotCalled {
  readonly outcome: 'notCalled';
  readonly because:
    /** What would be sent, or how the cloud would take it, is not any more what was prepared. */
    | 'NotAsPrepared'
    | 'UserDataMissing'
    /** The look-up before the call failed. */
    | 'LookFailed'
    /** The Machine is not any more what the call was asked for. */
    | 'Changed'
    /** The call waited too long, or its worker stood still. */
    | 'TooLate'
    /** The request never left the worker. */
    | 'NotSent';
  readonly failure: CloudFailure;
}

export interface FindInstances extends MachineTarget {
  /** Nothing is adopted: only what is the Machine's by its tags or its token counts. @default false */
  readonly ownOnly?: boolean;
  readonly clusterName: string;
  readonly parameters?: LaunchParameters;
  readonly token?: string;
}

/** An answer to what was asked some time ago, when the cloud took its time. */
export interface Asked {
  /** How long before the end of the activity the cloud was asked, in milliseconds; absent: within this activity. */
  readonly agoMs?: number;
}

/** What was found is another's, or nobody's. */
export interface Disowned {
  /** The Machine notes that it claimed an instance, which the cloud need not show yet; absent: it never did. */
  readonly claim?: string;
}

export type FindAnswer =
  /**
   * `instances`: the Machine's own and, where no token was given, those that may be adopted; where none of its own lives,
   * the oldest of these carries its uid by now. `another`: what else was found that nobody certainly owns, and why it may
   * not be adopted. `lookedAt`: when the look-up was sent, or a moment before, by the worker's clock, in milliseconds.
   */
  | ({
      readonly outcome: 'answered';
      readonly instances: readonly Instance[];
      readonly another?: string;
      readonly lookedAt: number;
    } & Asked &
      Disowned)
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

export interface LookAtInstance extends MachineTarget {
  readonly id: string;
  /** The frozen launch: where to ask when the spec does not say any more. */
  readonly parameters?: LaunchParameters;
}

export type InstanceLook =
  /** `cloud`: where it was found, for a Machine whose status does not tell. */
  | ({ readonly outcome: 'found'; readonly instance: Instance; readonly cloud?: CloudAccess } & Asked)
  | ({ readonly outcome: 'absent' } & Asked)
  /** It is there, and may not be adopted; or the Machine names nothing that can be an instance. */
  | ({ readonly outcome: 'foreign'; readonly message: string } & Disowned)
  /** Absent, together with so many others that the view of the cloud is doubted: that is no fact to act on. */
  | ({ readonly outcome: 'untrusted'; readonly message: string } & Asked)
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

export interface LookAtLeftover extends MachineTarget {
  readonly id: string;
  readonly cloud: CloudAccess;
  /** The Machine launched it, and it is asked to end where it lives. @default it is only looked at */
  readonly ends?: true;
}

/** `absent`: the cloud does not know it. */
export type LeftoverLook = { readonly outcome: 'gone' | 'there' | 'absent' | 'unknown' };

export interface RecordInstance extends MachineTarget {
  readonly instance: Instance;
  /** spec.providerID names another instance: it has to go first, since nobody may change one. @default it names none, or this one */
  readonly replaces?: true;
  readonly status: MachineStatus;
  readonly events: readonly MachineEvent[];
}

export interface JoinNode extends MachineTarget {
  readonly addresses: readonly string[];
  /** Earliest creation of a Node that is matched by address only, RFC 3339. */
  readonly notBefore?: string;
}

export type JoinAnswer =
  | { readonly outcome: 'joined'; readonly node: NodeSighting }
  | { readonly outcome: 'none' }
  /** Several Nodes match, or another live Machine claims it. */
  | { readonly outcome: 'ambiguous'; readonly message: string };

export interface WriteMachineStatus extends MachineTarget {
  readonly status: MachineStatus;
  readonly events: readonly MachineEvent[];
}

export interface BalanceInstance extends MachineTarget {
  readonly id: string;
}

export type BalanceAnswer =
  /** Names of the load balancers it is about; empty: there are none. */
  | { readonly outcome: 'done'; readonly loadBalancers: readonly string[] }
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

export interface TerminateInstance extends MachineTarget {
  readonly id: string;
  readonly parameters?: LaunchParameters;
  /** The workflow saw the launch answer with this id: no look has to prove whose it is. @default a look does, before the end */
  readonly isKnownOwn?: true;
  /** When to look at the instance after the cloud took it, in milliseconds: what it is then is answered. */
  readonly lookAfterMs: number;
}

export interface EndSurplusInstance extends MachineTarget {
  readonly id: string;
  /** The instance that stays, or that has ended before: the Machine's own. */
  readonly keep?: string;
  readonly parameters?: LaunchParameters;
}

export type SurplusAnswer =
  /** It was asked to terminate, or is on its way already. */
  | { readonly outcome: 'ended' }
  /** It is not this Machine's to end. */
  | { readonly outcome: 'left'; readonly message: string }
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

export interface LetGo extends MachineTarget {
  readonly events: readonly MachineEvent[];
  /** The Node is not deleted, but cordoned and marked with this: nobody knows whether the instance runs. @default it is deleted */
  readonly nodeMark?: string;
}

export interface DeleteMarkedNode extends MachineTarget {
  readonly node: NodeRef;
}

export type LetGoAnswer =
  /** Or it was gone already. */
  | { readonly outcome: 'done' }
  /** The API server could not do it now. */
  | { readonly outcome: 'failed'; readonly message: string };

export type TerminateAnswer =
  | { readonly outcome: 'asked'; readonly state: InstanceState }
  /** The cloud does not know it (any more). */
  | { readonly outcome: 'unknownInstance' }
  /** It is another's: it was not asked for. */
  | ({ readonly outcome: 'foreign'; readonly message: string } & Disowned)
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };
