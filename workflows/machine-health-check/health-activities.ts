import type {
  ConditionRule,
  HealthClaim,
  HealthLimits,
  MachineHealthCheckStatus,
  RemediationPolicy,
  RemediationStep,
} from '../../k8s/model/machine-health-check.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { RebootState } from '../../k8s/model/reboot.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { HealthSettings } from './settings.ts';

/** The port between a health check's workflow and the outside. */
export interface MachineHealthCheckActivities {
  /** A live look at the check, at the Machines that it selects, and at their Nodes and sets. */
  surveyHealth(request: SurveyHealth): Promise<HealthSurvey>;
  /** Takes one step for one Machine, if it is still as it was seen. Safe to repeat. */
  remediate(request: Remediate): Promise<RemediateAnswer>;
  /** Takes off a Machine that somebody wants it remediated: that is done. Not where another check remediates it. */
  fulfilWish(request: MachineOfCheck): Promise<void>;
  /** Takes the check's claim off a Machine, if it is there, and all that other programs were asked for. */
  releaseMachine(request: MachineOfCheck): Promise<void>;
  writeHealthStatus(request: WriteHealthStatus): Promise<void>;
}

export interface SurveyHealth extends ObjectTarget {
  /** Machines whose remediation is under way: their sets, if they have any, are looked at as well, also when they are gone. */
  readonly underway: readonly { readonly uid: string; readonly set?: ObjectRef }[];
  /** The cluster's own rules as they were read last: they stay in force where they cannot be read. */
  readonly clusterRules?: readonly ConditionRule[];
  /**
   * When the look before was, in milliseconds since the epoch, where something was bad: for how long is counted, also where all are well now.
   * Absent: nothing was.
   */
  readonly sightedAt?: number;
  /** The outages of the API server as they were heard of last: they count where nobody answers when it was away. @default none */
  readonly lastOutages?: readonly Outage[];
}

export type HealthSurvey =
  | { readonly found: false }
  /** The stored object is not what its schema allows. */
  | MalformedCheck
  | FoundCheck;

export interface MalformedCheck extends Pick<FoundCheck, 'generation' | 'status' | 'seen' | 'settings'> {
  readonly found: 'malformed';
  /** What is wrong. */
  readonly message: string;
}

/** What is not listed here is healthy: thousands of healthy machines make no long history. */
export interface FoundCheck {
  readonly found: true;
  /** When, by the clock of the worker that looked; in milliseconds since the epoch. */
  readonly seenAt: number;
  readonly generation: number;
  readonly paused: boolean;
  /** Uids of Machines under way that it does not select any more, and that are being deleted still. */
  readonly leaving: readonly string[];
  /** Uids of Machines under way that are healthy, and do not bear its claim any more. */
  readonly well: readonly string[];
  /**
   * When conditions turned good since the look before, as they say it themselves: in milliseconds since the epoch, by the {@link SeenCause.key} that
   * they had, by the Machine's uid. Absent: none did.
   */
  readonly turnedGood?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** It has a deletionTimestamp: it remediates nothing any more. */
  readonly isDeleting?: true;
  readonly limits: HealthLimits;
  readonly remediation: RemediationPolicy;
  /** The cluster's own rules, where the check has none. */
  readonly clusterRules?: readonly ConditionRule[];
  /** What is wrong with the cluster's own rules; the last good ones apply. */
  readonly rulesProblem?: string;
  /** Why no machine can be remediated by the check's template. Absent: it can, or the check has none. */
  readonly templateProblem?: string;
  /** How many Machines it selects. */
  readonly expected: number;
  /** How many of them have a Node and nothing bad, are not being deleted, and nobody else's to remedy. */
  readonly healthy: number;
  /** All others, but for those that are `untold`. */
  readonly suspects: readonly Suspect[];
  /** How many others there are besides: too many at once to tell of each. Absent: none. */
  readonly untold?: number;
  /** Machines that carry its claim and that it does not select any more. */
  readonly claimed: readonly Pick<Suspect, 'name' | 'uid'>[];
  /** Zones of three Nodes or more, which are all bad by one cause, or gone. */
  readonly lostZones: readonly LostZone[];
  /** The sets of `suspects` and of what is under way, by uid; one that is not there is gone. */
  readonly sets: Readonly<Record<string, SetSight>>;
  /** Beginnings and ends of times in which the API server was away, the oldest first; none where nothing is counted. */
  readonly outages: readonly Outage[];
  /** For so long the API server did not answer this look. Absent: it did, soon. */
  readonly ownOutage?: Outage;
  /** As stored. */
  readonly status: Partial<MachineHealthCheckStatus>;
  /** That status, for the write of the next one. */
  readonly seen?: SeenStatus;
  /** A person told it to go on in spite of a storm: when. RFC 3339. */
  readonly proceedAt?: string;
  readonly settings: HealthSettings;
}

/** A Machine that is not plainly healthy. */
export interface Suspect {
  readonly name: string;
  readonly uid: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Who controls it; absent: nobody, and it is never deleted. */
  readonly set?: ObjectRef;
  readonly node?: string;
  /** Of that Node: what is said of its kubelet. */
  readonly nodeReady?: 'True' | 'False' | 'Unknown';
  readonly zone?: string;
  readonly isControlPlane?: true;
  readonly isDeleting?: true;
  /** The cloud says that its instance is stopped, has ended or is gone: no suspicion. */
  readonly isProved?: true;
  /** It is Failed because the cloud has no room for it. */
  readonly lacksRoom?: true;
  /** What is bad at this look. Empty: it only counts. */
  readonly causes: readonly SeenCause[];
  /** What is known of reboots; absent: none was ever wanted. */
  readonly reboot?: SeenReboot;
  /** A person wants it left alone: until when, RFC 3339; empty: for as long as that is said. */
  readonly skip?: string;
  /** It is paused, or its Cluster is: nothing is done to it. Names which, as the beginning of "… is paused". */
  readonly pausedBy?: string;
  /** Another program remediates it. */
  readonly isExternal?: true;
  /** The check that remediates it. */
  readonly claim?: HealthClaim;
  /**
   * By what this check had it left to other programs, of that which is there still: keys of annotations that it bears as they were
   * written, and {@link REQUEST_MARK}. Absent: none.
   */
  readonly marks?: readonly string[];
}

/** Among the marks of a Machine: there is the object that the check made of its template. */
export const REQUEST_MARK = 'requested';

/** What the Machine and its status tell of reboots. */
export interface SeenReboot {
  /** The wish on the Machine, by its id; absent: there is none. */
  readonly wanted?: string;
  /** The wish that its status tells of last; what follows is about that one. */
  readonly told?: string;
  readonly state?: RebootState;
  /** RFC 3339: when the cloud was called. Absent: it was not. */
  readonly sentAt?: string;
  /** Why it is not rebooted, or what is known of the call. */
  readonly message?: string;
  /** RFC 3339: when the cloud was called for reboots lately, for whatever check; the oldest first. */
  readonly times: readonly string[];
  /** It has not its turn yet: others of its control plane are in the way. */
  readonly awaitsTurn?: true;
  /** What is wanted has taken place: its Node tells of another boot, and is Ready. */
  readonly isDone?: true;
}

/** Something bad of a Machine, as it is at this look. All times are in milliseconds since the epoch. */
export interface SeenCause {
  /** The same for the same thing of another Machine, e.g. `node Ready=False,Unknown 300000` or `never joined`. */
  readonly key: string;
  readonly kind: 'condition' | 'neverJoined' | 'nodeGone' | 'failed' | 'wished';
  /**
   * Of a condition: whose it is and which, e.g. `node Ready`. Where one thing strikes many, some are False and others Unknown, and
   * the check may have a rule for each.
   */
  readonly condition?: string;
  /** For people, as the beginning of a sentence: `Ready of its Node is Unknown (NodeStatusUnknown)`. */
  readonly words: string;
  /** How long it has to last. */
  readonly timeoutMs: number;
  /** When it says that it began. Anybody may write that, and again and again. */
  readonly changedAt?: number;
  /** It cannot have begun before: when the Node was made. */
  readonly notBefore?: number;
  /** When it began, where that is a fact that nobody can reset: the launch of the instance. */
  readonly since?: number;
}

export interface LostZone {
  readonly zone: string;
  readonly nodes: number;
  /** A {@link SeenCause.condition} that is bad of all that are there; or the key of Nodes that are gone. */
  readonly cause: string;
  /** Another zone is healthy, so that it is this zone and not the cluster. */
  readonly isAlone: boolean;
}

/** A MachineSet, as far as it matters whether it has what it wants. */
export interface SetSight {
  readonly name: string;
  /**
   * The uid of the deployment that controls it: what one of its sets loses another may get. What follows is about all its sets together.
   * @default none does
   */
  readonly deployment?: string;
  /** It makes no machine now: paused, or being deleted. */
  readonly isHeld?: true;
  /** cluster-autoscaler may scale it down: it does so where the cloud has no room for one of its machines. */
  readonly mayBeScaledDown?: true;
  /** How many Machines it, or its deployment, is to have. Absent: nobody knows. */
  readonly wanted?: number;
  /** How many Machines it is short of; those that are being deleted count for none. */
  readonly missing: number;
  /**
   * Of a controller that is no set of ours, all its Machines that are not being deleted: nobody knows how many it wants.
   * @default it is a set of ours
   */
  readonly living?: readonly MadeMachine[];
  /** Its Machines whose Node is not Ready, or not there yet, and that are not being deleted; of hundreds, the newest. */
  readonly unready: readonly MadeMachine[];
}

export interface MadeMachine {
  readonly uid: string;
  /** RFC 3339. */
  readonly createdAt: string;
}

export interface Outage {
  /** RFC 3339. */
  readonly from: string;
  /** RFC 3339; absent: it lasts. */
  readonly until?: string;
  /**
   * No watcher was at work in that time: nobody knows whether the API server was away. It is subtracted from nothing.
   * @default a watcher saw it
   */
  readonly unwatched?: true;
}

export interface Remediate extends ObjectTarget {
  readonly machine: Pick<Suspect, 'name' | 'uid'>;
  readonly step: RemediationStep;
  /** Why: a sentence. */
  readonly cause: string;
  /** Keys of what is bad: one of them has to be so still. */
  readonly causes: readonly string[];
  /** {@link FoundCheck.seenAt} of the look by which that was decided. Absent: it is no new step. */
  readonly seenAt?: number;
  /** The check's generation at that look: by another one it may not be wanted. */
  readonly generation?: number;
  /** Of a reboot: the id of the wish. */
  readonly reboot?: string;
  /** As in {@link SurveyHealth}. */
  readonly clusterRules?: readonly ConditionRule[];
}

export type RemediateAnswer =
  /** It is done; safe to ask for again. `isSilent`: its Node could not answer, so that its drain ends by force. */
  | { readonly outcome: 'done'; readonly isSilent?: boolean }
  /** It is gone, or another one has its name. */
  | { readonly outcome: 'gone' }
  /** It is not to be touched: what came in between, as a sentence. */
  | { readonly outcome: 'notNow'; readonly message: string }
  /** The API server refused it. */
  | { readonly outcome: 'refused'; readonly message: string };

/** The target is the check. */
export interface MachineOfCheck extends ObjectTarget {
  readonly machine: Pick<Suspect, 'name' | 'uid'>;
}

export interface WriteHealthStatus extends ObjectTarget {
  /** Absent: it says so already. */
  readonly status?: MachineHealthCheckStatus;
  /** The look that it follows from. */
  readonly seen?: SeenStatus;
  /** What is worth an event, because it was not so before. */
  readonly events: readonly ObjectEvent[];
}
