import type { RetryClass } from '../../providers/provider-error.ts';
import type {
  Credentials,
  Idempotency,
  InstanceAddress,
  InstanceState,
  LaunchParameters,
} from '../../providers/provider.ts';
import type { Condition } from './condition.ts';
import type { DeletionTimes, DrainOptions } from './drain.ts';
import type { MachineClass } from './machine-class.ts';
import type { ObjectRef } from './object-ref.ts';
import type { FailureReason, WaitReason } from './reasons/reasons.ts';
import type { RebootRecord, RebootWish } from './reboot.ts';

/**
 * Provisioning: no instance yet. Provisioned: the cloud gave one. Running: its Node joined. Failed is final: only a
 * deletion acts on it. (As in the Machine API.)
 */
export type MachinePhase = 'Provisioning' | 'Provisioned' | 'Running' | 'Deleting' | 'Failed';

/** Reasons of a failure that the Machine API knows. */
export type MachineErrorReason = FailureReason;

/** Which version of the user-data Secret a launch was prepared with. Its content is never stored. */
export interface UserDataVersion {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** One attempt to launch: frozen in the Machine's status before its first call. */
export interface PreparedLaunch {
  /** Counts from 1. */
  readonly attempt: number;
  /** Hash of the Machine's uid and the attempt. */
  readonly token: string;
  /** RFC 3339. */
  readonly preparedAt: string;
  /** Hash of the providerSpec it was resolved from. */
  readonly specHash: string;
  readonly parameters: LaunchParameters;
  /** What kept launches unique when it was prepared. A token that the cloud was not told repeats nothing later. */
  readonly idempotency: Idempotency;
  /** The cloud's account that the credentials led to, where the cloud tells. */
  readonly account?: string;
  readonly userData?: UserDataVersion;
  /**
   * How many calls of this attempt nobody waits for any more. A call is sent only while this is what it was when the call
   * was asked for, so that one whose worker stood still is not sent late. @default 0
   */
  readonly callsGivenUp?: number;
}

/** What a machine waits for: the answer to "why is it not done yet". */
export interface Waiting {
  /** Step of its life: a `WaitStep` of `reasons/steps.ts`. */
  readonly step: string;
  /** CamelCase, for programs: a {@link WaitReason}, or a cloud's own code. */
  readonly reason: string;
  /** After a failure of the cloud: its class, which tells of the reason where no table lists it. */
  readonly retryClass?: RetryClass;
  /** A sentence: what it waits for and what came back last. */
  readonly message: string;
  /** RFC 3339: since when it is in this step for this reason. */
  readonly since: string;
  /** RFC 3339: when it looks or tries again; absent: when something changes. */
  readonly nextTry?: string;
}

export interface NodeRef {
  readonly name: string;
  readonly uid: string;
}

/** What Millwright says of a machine. */
export interface MachineStatus {
  readonly phase?: MachinePhase;
  readonly nodeRef?: NodeRef;
  /** Its reason is a {@link MachineErrorReason}, or another controller's word. */
  readonly error?: { readonly reason: string; readonly message: string };
  readonly addresses: readonly InstanceAddress[];
  readonly conditions: readonly Condition[];
  readonly instance?: { readonly id: string; readonly state: InstanceState };
  /** The cloud's account that the instance is in, where the cloud tells. */
  readonly account?: string;
  /** Its Node was one of a control plane when it was last seen. */
  readonly isControlPlane?: true;
  readonly launch?: PreparedLaunch;
  /** Where an instance is that came without a launch of ours; the spec may change after it was found there. */
  readonly cloud?: CloudAccess;
  readonly waiting?: Waiting;
  /** Set from the first point on that a deletion reached. */
  readonly deletion?: DeletionTimes;
  /** Set from the first time on that its end was prepared for. */
  readonly preparation?: Preparation;
  /** Whether its Node is empty for a maintenance; absent: there never was one. */
  readonly maintenance?: boolean;
  /** RFC 3339: when the drain for its maintenance began. Absent: none did since the last one was over. */
  readonly maintenanceDrainStartTime?: string;
  /** What became of the newest reboot that a health check wanted; absent: none ever did. */
  readonly reboot?: RebootRecord;
  /** RFC 3339: when phase, nodeRef or error last changed. */
  readonly updatedAt?: string;
  /** Generation of the object that this status speaks of. */
  readonly observedGeneration?: number;
  /**
   * Every instance that it may have is known: nobody had acted on it before, or its cloud was asked. A phase without it is
   * another controller's.
   */
  readonly pastKnown?: true;
}

/** A machine as its object tells of it. */
export interface Machine {
  readonly ref: ObjectRef;
  readonly generation: number;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; set while it is being deleted. */
  readonly deletedAt?: string;
  readonly hasFinalizer: boolean;
  /** The finalizers of others, while it is being deleted: it goes when they are off as well. Absent: there are none. */
  readonly otherFinalizers?: readonly string[];
  readonly paused: boolean;
  /** Who paused it, where that is not its own annotation: e.g. `Cluster default/example`. Set only where `paused` is. */
  readonly pausedBy?: string;
  /** Value of the cluster label; empty where it is missing. */
  readonly clusterName: string;
  /** Name of the owning controller, e.g. its MachineSet. */
  readonly owner?: string;
  /** A MachineSet's workflow created this very object: nobody restored it. Absent: that is not known. */
  readonly madeBySet?: true;
  readonly providerID?: string;
  /** Conditions that its spec wants True before it can be used, and that are not. Absent: none. */
  readonly openGates?: readonly string[];
  /** Per-machine override of the creation timeout, in seconds. */
  readonly creationTimeoutSeconds?: number;
  /** What others asked its deletion to wait for; absent: nothing. */
  readonly hooks?: readonly LifecycleHook[];
  /** It is one of a control plane, by its label. */
  readonly isControlPlane?: true;
  /** How many machines its control plane has, as its Cluster says; absent: it does not. */
  readonly controlPlaneSize?: number;
  /** It goes although it may not be its turn in the control plane: when that was written, and who wanted it. */
  readonly outOfTurn?: string;
  /** How its Node is drained; absent: by default. */
  readonly drain?: DrainOptions;
  /** Its Node is not to be drained. */
  readonly excludesDrain?: true;
  /** Why it is to go, and when that was written; absent: nobody told. */
  readonly cause?: string;
  /** The drain before its end is to be over soon, whatever budgets say. */
  readonly hurriesDrain?: true;
  /** How it goes when it is deleted. @default graceful */
  readonly deletionPolicy?: DeletionPolicy;
  /** It is to be prepared for its end, and then deleted; false: not any more. */
  readonly delete?: boolean;
  /** Its Node is to be empty, and its instance is to stay. */
  readonly maintenance?: true;
  /** A health check wants its instance rebooted. */
  readonly rebootWish?: RebootWish;
  readonly status: MachineStatus;
  /** Set where the stored status was copied from another Machine; then `status` is without what is that one's. */
  readonly copied?: CopiedStatus;
  /** Set where the stored object is not what its schema allows; then what cannot be read is left out. */
  readonly malformed?: Malformed;
}

/** A machine as a workflow sees it: small enough to be recorded at every look, and free of secrets. */
export interface CompletedMachine extends Machine {
  /** Hash of its providerSpec with what comes of the MachineClass and the Cluster's defaults. */
  readonly specHash: string;
}

/** `unsafe`: without drain, hooks hold it. `forced`: they do not, nor does a cloud that fails. */
export const DELETION_POLICIES = ['graceful', 'unsafe', 'forced'] as const;
export type DeletionPolicy = (typeof DELETION_POLICIES)[number];

/** What a person asks of one machine; what is absent stays as it is. */
export interface MachineWish {
  /** As {@link Machine.delete}. */
  readonly delete?: boolean;
  readonly deletionPolicy?: DeletionPolicy;
  /** false: as if it had never been asked for. */
  readonly maintenance?: boolean;
  /** As {@link Machine.outOfTurn}; null: in its turn. */
  readonly outOfTurn?: string | null;
  /** As {@link Machine.cause}; null: of none any more. */
  readonly cause?: string | null;
  /** Until when its drain may last, and what then; null: as if that had never been said. */
  readonly drain?: Required<Pick<DrainOptions, 'timeoutMs' | 'onTimeout'>> | null;
  /** Its health check is to remediate it, for this reason; null takes that off. */
  readonly remediate?: string | null;
}

/** How far a deletion is that can still be aborted; `aborted`: nothing of it is under way any more. */
export type Preparation = 'started' | 'completed' | 'aborting' | 'failed' | 'aborted';

/** One reason for a deletion to wait, until its owner removes it. */
export interface LifecycleHook {
  /** What has to wait: the drain and all that follows, or the termination. */
  readonly point: 'preDrain' | 'preTerminate';
  readonly name: string;
  /** Who removes it, in words for people. */
  readonly owner: string;
}

/** What tells a status that was copied from another Machine. */
export interface CopiedStatus {
  /** The other Machine's token: none of this one's. */
  readonly token: string;
  /** The other Machine's instance. */
  readonly instanceId?: string;
}

/** What is wrong with a stored object. */
export interface Malformed {
  /** Which field, and why. */
  readonly message: string;
  /** False: `status` is empty because it could not be read, and must not be written over. */
  readonly isStatusReadable: boolean;
}

/** What is read of a machine's spec inside activities only. */
export interface MachineSpec {
  /**
   * As a dialect reads it, what to launch as the user wrote it; as an activity reads it, what comes of that with the
   * MachineClass and the Cluster's defaults. Undefined where there is a {@link MachineSpec.problem}.
   */
  readonly providerSpec: unknown;
  /** Where it stands in the object. */
  readonly fields: SpecFields;
  /** The MachineClass it refers to in place of a value. */
  readonly classRef?: MachineClassRef;
  /** That class, as it was read. */
  readonly machineClass?: MachineClass;
  /** Why there is no providerSpec: only a change of something else helps. */
  readonly problem?: SpecProblem;
  /** Labels and taints for its Node. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeAnnotations: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
  /** Taints that its Node gets when it joins. Somebody else takes them off when it can be used. */
  readonly startupTaints: readonly Taint[];
}

/** The fields of a Machine that say what to launch, for messages. */
export interface SpecFields {
  /** e.g. `providerSpec.value`. */
  readonly specField: string;
  /** The field that names a MachineClass: e.g. `providerSpec.valueFrom.machineClass`. Absent: it cannot refer to one. */
  readonly classField?: string;
}

/** Names a MachineClass of the Machine's namespace. */
export interface MachineClassRef {
  readonly name: string;
  /** The provider that the class has to be of; absent: whichever it is of. */
  readonly provider?: string;
}

/** Something that a spec refers to is missing, or does not fit. */
export interface SpecProblem {
  /** CamelCase, for programs. */
  readonly reason: Extract<WaitReason, 'MachineClassMissing' | 'MachineClassInvalid' | 'KubernetesRefused'>;
  /** Path of the field that is affected, e.g. `providerSpec.valueFrom.machineClass.name`. */
  readonly field: string;
  /** A sentence, for people. */
  readonly message: string;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Which cloud, and with whose credentials. */
export interface CloudAccess {
  /** Provider's name. */
  readonly provider: string;
  readonly credentials: Credentials;
}
