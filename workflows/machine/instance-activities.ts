import type { CloudAccess, MachineStatus } from '../../k8s/model/machine.ts';
import type { Instance, InstanceState, LaunchParameters } from '../../providers/provider.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { CloudFailure } from './launch-record.ts';
import type { Balanced } from './load-balancer-activities.ts';
import type { MachineEvent, MachineTarget } from './machine-activities.ts';

/** What a machine asks of its instance, and of those that may be its own. */
export interface InstanceActivities {
  /** Looks up the instances of this Machine by its uid and the token. */
  findInstances(request: FindInstances): Promise<FindAnswer>;
  /** Looks at one instance; looks of many machines share one call to the cloud. */
  lookAtInstance(request: LookAtInstance): Promise<InstanceLook>;
  /** Writes what the cloud gave into the Machine: providerID, labels and status. Answers what the next write of the status goes by. */
  recordInstance(request: RecordInstance): Promise<SeenStatus | undefined>;
  /** Ends an instance that the Machine launched besides the one on record. Looks whose it is right before. */
  endSurplusInstance(request: EndSurplusInstance): Promise<SurplusAnswer>;
  /** Asks the cloud to terminate the instance, and looks at it a moment later. Safe to repeat, by the instance's id. */
  terminateInstance(request: TerminateInstance): Promise<TerminateAnswer>;
  /** Looks whether the instance of a Machine that is gone has ended. Tried again while the cloud is away or throttles. */
  lookAtLeftover(request: LookAtLeftover): Promise<LeftoverLook>;
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
   * `instances`: the Machine's own. Where no token was given and none of them lives, the oldest that may be adopted is among
   * them, and carries its uid by now. `another`: what else was found then that nobody certainly owns, and why it may not be
   * adopted. `lookedAt`: when the look-up was sent, or a moment before, by the worker's clock, in milliseconds.
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
  /** The account that it is in. @default not known: what the credentials lead to counts */
  readonly account?: string;
  /** The Machine launched it, and it is asked to end where it lives. @default it is only looked at */
  readonly ends?: true;
  /** The workflow saw the launch answer with this id. @default it is asked to end only where its tags or its token tell that it is the Machine's */
  readonly isKnownOwn?: true;
  /** It is taken from behind these, where it is the Machine's and asked to end. @default it is behind none */
  readonly balanced?: Balanced;
}

/** `absent`: the cloud does not know it. */
export interface LeftoverLook {
  readonly outcome: 'gone' | 'there' | 'absent' | 'unknown';
  /** It is behind none of the load balancers that it was asked to be taken from any more. */
  readonly isDetached?: true;
}

export interface RecordInstance extends MachineTarget {
  readonly instance: Instance;
  /** spec.providerID names another instance: it has to go first, since nobody may change one. @default it names none, or this one */
  readonly replaces?: true;
  readonly status: MachineStatus;
  /** As the Machine was when its status was decided. */
  readonly seen?: SeenStatus;
  readonly events: readonly MachineEvent[];
}

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

export type TerminateAnswer =
  | { readonly outcome: 'asked'; readonly state: InstanceState }
  /** The cloud does not know it (any more). */
  | { readonly outcome: 'unknownInstance' }
  /** It is another's: it was not asked for. */
  | ({ readonly outcome: 'foreign'; readonly message: string } & Disowned)
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };
