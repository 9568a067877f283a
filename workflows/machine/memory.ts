import type { DrainPurpose } from '../../k8s/model/drain.ts';
import type { CloudAccess, MachineStatus } from '../../k8s/model/machine.ts';
import type { Instance, InstanceAddress } from '../../providers/provider.ts';
import type { Abandoned } from './abandoned.ts';
import type { Wait } from './answer.ts';
import type { DrainEnd, PodNotes, Rolls } from './drain-activities.ts';
import type { LaunchRecord } from './launch-record.ts';
import type { MachineEvent } from './machine-activities.ts';
import type { Retry } from '../retry.ts';
import type { StepRetry } from './step-retry.ts';

/**
 * What a machine's workflow must not forget between two looks, and carries into its next run: what is known of the machine,
 * what was asked for, and a slot for each phase that has something to remember. Plain JSON. Times are milliseconds since the
 * epoch.
 */
export interface MachineMemory {
  /** The attempt to launch that is under way. */
  attempt?: LaunchRecord;
  /** The id that the launch answered with, where it was called once: there can be no other instance. */
  launchedOnce?: string;
  /** An instance may exist that nothing on record names: nothing is launched or let go before that was looked up. */
  pastOpen?: boolean;
  /** What the Machine noted of a claim when a look did not show its tags, and when the cloud shows them at the latest. */
  claim?: { readonly note: string; readonly shownAt: number };
  /** The status as it was last seen or written: what of it is lost is put back. */
  status?: MachineStatus;
  /** The instance as it was last recorded, without its addresses. */
  instance?: Instance;
  /** Its addresses, as the cloud told them. They stay when it has ended. */
  addresses?: { readonly of: string; readonly told: readonly InstanceAddress[] };
  /** What a look told of an instance that the status names: others may have written that. */
  judged?: { readonly id: string; readonly isOwn: boolean };
  /** The instance that was last known to be the machine's. */
  instanceId?: string;
  /** Where the instance is, for a look when the Machine cannot tell any more; and how often the workflow had slept when it came
   * to know. */
  cloud?: CloudAccess & { readonly notedAt: number };
  /** From when on the time counts that its Node has to join: its instance was launched, or asked for, or found. */
  joinFrom?: number;
  /** A call to put the instance behind its load balancers, whose answer nobody saw, may take effect until then. */
  attachOpenUntil?: number;
  /** The instance of this id was seen to have ended: that a status says so proves nothing. */
  endSeen?: string;
  /** The instance was asked to end: there is no way back. */
  isEndAskedFor?: boolean;
  /** The workflow has deleted the Machine: its preparation was complete. */
  isHandedOver?: true;
  /** Nothing of the machine is left in the cloud: how often the workflow had slept when it was proved. */
  provedGoneAt?: number;

  /** When a deletion, a maintenance or a reboot was last taken back. What the status tells of a drain before does not count. */
  abortedAt?: number;

  /** Of a deletion that can be aborted: since when it is known that nothing is asked of the Node. Absent: something may be. */
  calmSince?: number;

  /** The Machine goes without its instance. */
  abandoned?: Abandoned;
  /** What the cloud said, while the newest pass waits for it because it fails. */
  cloudFails?: string;
  /** The hooks of each point that a forced deletion passed over, as they were told of. */
  passedOver?: { preDrain?: string; preTerminate?: string };

  /** The instance is to be looked at, whatever is known of it. */
  inspect?: boolean;
  /** Its state and addresses were read since its Node was Ready. */
  isSeenReady?: boolean;
  /** The machine's living instances are to be counted: there may be more than one. */
  recount?: boolean;
  /** When everything is looked at again, whatever was signalled. */
  resyncAt?: number;

  /** Events that were not recorded yet, and that no later pass would come to again. */
  untold?: readonly MachineEvent[];
  /** Failures in a row of the Kubernetes API to take what a pass came to. */
  refused?: StepRetry;
  /** What is wrong with the object, once it was said. */
  held?: string;
  readonly launched: {
    /** Of what comes before a call; an attempt has its own. */
    retry?: StepRetry;
    /** The spec, by its hash, with which that was tried. */
    specHash?: string;
    /** The spec that the cloud or the provider called invalid, by its hash. */
    invalidSpec?: {
      readonly hash: string;
      readonly message: string;
      /** When it is tried again, where what is wrong lies outside of it. */
      readonly retryAt?: number;
    };
    /** Since when the cloud has had no room for it. */
    noRoomSince?: number;
  };
  readonly recorded: {
    /** It was told that spec.providerID was lost, which only a look at the instance brings back. */
    isLossTold?: boolean;
  };
  readonly adopted: InstanceLooks;
  readonly inspected: InstanceLooks & {
    /** It is being looked at: the looks so far did not tell what is to be known. */
    isOpen?: boolean;
    /** When its state and addresses are to be read, since its Node became Ready. */
    readyLookAt?: number;
  };
  readonly joined: {
    /** From when on its Node has had the time to. */
    by?: number;
  };
  readonly balanced: { isAttached?: boolean; retry?: StepRetry };
  readonly single: {
    /** When the living instances are counted again. */
    recountAt?: number;
    /** Of counts that came to nothing. */
    retry?: Retry;
  };
  /** Set while what was begun for a deletion, or a maintenance, is taken back. */
  returned?: {
    /** From then on nothing that was sent before takes effect. */
    readonly quietFrom: number;
    /** It is a reboot that is over. */
    readonly isOfReboot?: boolean;
    /** It is a deletion that is aborted, which the status did not tell of yet. */
    readonly isOfDeletion?: boolean;
    isUncordoned?: boolean;
    /** Nothing is left to be taken back, which the status may not tell yet. */
    isOver?: true;
    /** The Node is to stay empty for something else. */
    isKept?: true;
    /** Somebody else had cordoned the Node as well. */
    isLeftCordoned?: boolean;
    retry?: StepRetry;
  };
  settled: {
    isDone?: boolean;
    /** The instance on record that was looked at, to tell whose it is. */
    lookedAt?: string;
    retry?: StepRetry;
  };
  readonly forced: {
    /** From when on steps of its deletion have failed because of the cloud. */
    cloudFailsSince?: number;
    retry?: StepRetry;
  };
  readonly rebooted: {
    /** The wish whose call is on record, although this workflow knows that it never asked for it. */
    uncalled?: string;
    /** What came of the last wish was told. */
    told?: string;
    retry?: StepRetry;
  };
  /** Of a machine of a control plane: how it stands with its turn, as turn.ts says it. */
  turn: InstanceLooks &
    StandstillLooks & {
      /** The Machine's generation with which it had its turn for this. */
      drain?: number;
      end?: number;
      /** When it had its turn to end, in milliseconds since the epoch. */
      endAt?: number;
      wait?: Wait;
    };
  /** How far its Node is emptied: emptying.ts says it in words. */
  emptying: Emptying;
  readonly unbalanced: {
    isDetached?: boolean;
    /** It was taken from there while a call to attach was open: that has to be done again. */
    isTaken?: boolean;
    retry?: StepRetry;
  };
  readonly terminated: {
    isDone?: boolean;
    /** How often the termination was asked for or looked after. */
    looks?: number;
    /** It has to be asked for again. */
    again?: boolean;
    absentLooks?: number[];
    retry?: StepRetry;
  };
  readonly alone: {
    isDone?: boolean;
    /** How often it was looked whether the others end. */ looks?: number;
    retry?: StepRetry;
  };
  readonly released: { retry?: StepRetry };
  readonly handedOver: {
    /** When it was to be deleted last, the Machine was not any more as it had been seen. */
    hasChanged?: boolean;
    retry?: StepRetry;
  };
}

/** What is remembered of a Node that is emptied: several phases go by it, one after the other. */
export interface Emptying {
  /** Its pods, for one purpose at a time. */
  pods: DrainMemory;
  /** The volumes of those that left. */
  volumes: { isDone?: boolean; startedAt?: number; wait?: Wait; retry?: StepRetry };
  /** Pods of DaemonSets, which leave after all others. */
  daemonSets?: DrainMemory;
  left?: LeftToKubernetes;
}

/** A Node that Kubernetes empties, since its machine cannot: it takes away what is on it. */
export interface LeftToKubernetes {
  /**
   * Why. `stopped`: the instance was stopped, and may be started again. `ended`: the instance has ended. `silent`: the Node does not
   * answer, and the instance may run until its end is proved.
   */
  readonly is: 'stopped' | 'ended' | 'silent';
  /** Kubernetes is told that nothing runs there. */
  isTold?: boolean;
  isDone?: boolean;
  /** When the instance was last looked at, while it may be started again. */
  lookedAt?: number;
  /** From when on it was waited for that the Node is empty. */
  startedAt?: number;
  wait?: Wait;
  retry?: StepRetry;
}

/** How far looks at the instance have come. */
export interface InstanceLooks {
  /** When looks were made that did not find it, without a sighting in between. */
  absentLooks?: number[];
  retry?: StepRetry;
}

/** When it was looked whether anything runs on the Node. */
export interface StandstillLooks {
  /** When the instance was last looked at. */
  lookedAt?: number;
  /** The Node might have answered then: only the end of the instance counted. */
  isForEndOnly?: boolean;
}

/** What a drain knew last of its limit by Force. */
export interface DrainLimit {
  /** In milliseconds. Absent: it has none. */
  readonly ms?: number;
  /** When it came to be so while the drain was under way; absent: it has been from its beginning. */
  readonly since?: number;
  /** How much of the drain's time no pass could run until then. */
  readonly lostMs: number;
}

/** How a drain ended, in the words of its condition. */
export interface EndOfDrain {
  readonly reason: 'DrainSucceeded' | 'DrainSkipped' | 'DrainTimedOut' | 'InstanceStopped';
  readonly message: string;
}

/** How a drain stands. */
export interface DrainMemory extends InstanceLooks, StandstillLooks {
  readonly purpose?: DrainPurpose;
  isDone?: boolean;
  startedAt?: number;
  /** Absent while it is not done, and where there was no Node. */
  end?: EndOfDrain;
  /** The uid of the Node on record when it began. */
  nodeUid?: string;
  /** It was skipped: its volumes are not waited for. */
  isCutShort?: boolean;
  /** Its time was over before all pods had left. */
  isTimedOut?: boolean;
  /** How it ended, where its Node does not tell of that. */
  untold?: DrainEnd;
  cordonedAt?: number;
  /** Why it rests, as its Node tells it. */
  restTold?: string;
  notes?: PodNotes;
  rolls?: Rolls;
  /** What the last pass came to. */
  wait?: Wait;
  /** From when on a pass that something woke asks and looks, whatever that is to be waited for. */
  restsUntil?: number;
  /** So many passes in a row were over before they had looked at all that they go by. */
  unfinished?: number;
  /** How much of its time no pass could run. */
  lostMs?: number;
  /** The trouble that an event told of last. */
  told?: string;
  isTimeoutTold?: boolean;
  /** After which its pods are deleted, by Force. */
  limit?: DrainLimit;
  /** It is to be over soon: since when, how much of its time no pass could run before, and until when, once that is known. */
  hurry?: { readonly at: number; readonly lostMs: number; until?: number };
}

export function newMemory(): MachineMemory {
  return {
    recorded: {},
    launched: {},
    adopted: {},
    inspected: {},
    joined: {},
    balanced: {},
    single: {},
    settled: {},
    forced: {},
    rebooted: {},
    turn: {},
    emptying: newEmptying(),
    unbalanced: {},
    terminated: {},
    alone: {},
    released: {},
    handedOver: {},
  };
}

export function newEmptying(): Emptying {
  return { pods: {}, volumes: {} };
}

/** A later deletion finds out anew what is unknown of its instance. */
export function forgetSettled(memory: MachineMemory): void {
  memory.settled = {};
}

/** What was begun is taken back no more: a deletion goes on from there. */
export function forgetReturn(memory: MachineMemory): void {
  delete memory.returned;
}
