import type { MachineStatus, PreparedLaunch } from '../../k8s/model/machine.ts';
import type { ConditionReason, WaitReason } from '../../k8s/model/reasons/reasons.ts';
import type { Instance } from '../../providers/provider.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { CloudFailure } from './launch-record.ts';
import type { MachineTarget } from './machine-activities.ts';

/** What a machine asks for to get its instance. */
export interface LaunchActivities {
  /** Resolves and freezes the launch parameters of an attempt and stores them in the Machine's status. */
  prepareLaunch(request: PrepareLaunch): Promise<PrepareAnswer>;
  /** Asks the cloud for the instance, once; looks it up first where an earlier call may have made it. */
  launchInstance(request: LaunchInstance): Promise<LaunchAnswer>;
  /** Whether cluster-autoscaler sizes the Machine's set, or the set's deployment. */
  isAutoscaled(target: MachineTarget): Promise<boolean>;
}

export interface PrepareLaunch extends MachineTarget {
  readonly attempt: number;
  /** Resolve again although this attempt is prepared: allowed only while nobody called it. */
  readonly replace: boolean;
  /** Status to write; the launch is added to it. */
  readonly status: MachineStatus;
}

export type PrepareAnswer =
  /** `found`: it stood in the status already, prepared by someone else. */
  | {
      readonly outcome: 'prepared';
      readonly launch: PreparedLaunch;
      readonly found: boolean;
      /** For the next write of the status. */
      readonly seen?: SeenStatus;
    }
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

export type LaunchAnswer = Called & {
  /** For the next write of the status: the activity told in it what a deletion waits for. Absent: it wrote nothing. */
  readonly seen?: SeenStatus;
};

type Called =
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
