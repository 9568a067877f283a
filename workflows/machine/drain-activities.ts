import type { ConditionReason, WaitReason } from '../../k8s/model/reasons/reasons.ts';
import type { DrainPurpose } from '../../k8s/model/drain.ts';
import type { SomeNames } from '../../k8s/model/some-names.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { KubernetesAnswer } from './machine-activities.ts';
import type { NodeTarget } from './node-activities.ts';

/** The part of a machine's port that empties its Node. Times are milliseconds since the epoch, in the workflow's time. */
export interface DrainActivities {
  /**
   * One pass of a drain: cordons the Node, evicts what may be evicted now, and looks what is left. It takes two seconds at most;
   * where nothing is left for a deletion it also looks at the volumes.
   */
  drainNode(request: DrainNode): Promise<DrainAnswer>;
  /** Takes our cordon off the Node of a Machine that is neither to go nor in maintenance. Safe to repeat. */
  uncordonNode(request: NodeTarget): Promise<UncordonAnswer>;
  /** Looks which volumes are still attached to the Node, but for those of pods that the drain leaves alone. */
  lookAtVolumes(request: LookAtVolumes): Promise<VolumesLook>;
  /** Has the Node of a Machine that is deleted tell how its drain ended, where it stays. Safe to repeat. */
  tellDrained(request: NodeTarget & { readonly now: number; readonly end: DrainEnd }): Promise<KubernetesAnswer>;
  /**
   * Closes the Node of a Machine again that was closed for its deletion, as it was, where somebody has opened it, and has it tell why its
   * drain rests. Safe to repeat.
   */
  keepClosed(request: KeepClosed): Promise<KubernetesAnswer>;
  /**
   * Tells Kubernetes that nothing on the Node of a Machine that is being deleted runs any more, unless the Node is Ready, and looks
   * what is left on it. Only for one whose instance is stopped or gone. Safe to repeat.
   */
  vacateNode(request: NodeTarget): Promise<VacateAnswer>;
  /** Takes that back. Safe to repeat. */
  returnNode(request: NodeTarget): Promise<KubernetesAnswer>;
}

/**
 * Which pods leave: `pods`, all but those that a drain leaves alone; `daemonSets`, when these have left, pods of DaemonSets that do not
 * tolerate the taint that keeps new ones away.
 */
export type DrainStage = 'pods' | 'daemonSets';

/** How a drain ended; `cutShort`: before all pods that have to leave had left. */
export type DrainEnd = 'drained' | 'cutShort';

export interface DrainNode extends NodeTarget {
  readonly now: number;
  readonly purpose: DrainPurpose;
  /** When the drain began. */
  readonly startedAt: number;
  readonly stage: DrainStage;
  /** Pods that ask not to be disrupted are waited for. @default they are evicted as the others */
  readonly spares?: Spares;
  /** When the Node was cordoned; absent: it is not known to be. */
  readonly cordonedAt?: number;
  readonly notes: PodNotes;
  /** Deployments that this drain has rolled. @default none */
  readonly rolls?: Rolls;
  /** When pods that cannot be evicted are deleted; absent: they never are. */
  readonly force?: ForceTimes;
  /** Somebody asked that it be over soon: when, and by when it is to be, where an earlier pass told that. @default it has its time */
  readonly hurry?: { readonly at: number; readonly until?: number };
  /** Its set makes another Machine when it hears of the beginning: the first pass does not stay for the look that counts. @default it does */
  readonly tellsBeginning?: true;
}

export interface KeepClosed extends NodeTarget {
  readonly now: number;
  /** Why its drain rests. @default what it tells of its drain stays */
  readonly rests?: string;
}

export interface LookAtVolumes extends NodeTarget {
  /** The time for the drain was over: no volume of a pod that is still there counts. @default only those of pods that a drain leaves alone do not */
  readonly sparesLeft?: true;
}

/** How long pods are waited for that ask not to be disrupted. */
export interface Spares {
  /** @default for ever */
  readonly until?: number;
}

/** When pods are deleted that cannot be evicted. */
export interface ForceTimes {
  /** None is deleted before. */
  readonly from: number;
  /** The machine goes on, whatever is left. */
  readonly deadline: number;
}

/** What is known of pods that did not leave when they were asked to, by their uid. */
export type PodNotes = Readonly<Record<string, PodNote>>;

export interface PodNote {
  /** When its eviction was asked for first. */
  readonly askedAt: number;
  /** What held it last. */
  readonly by: 'soon' | 'budget' | 'budgets' | 'unjudged' | 'namespace' | 'server' | 'refused';
  /** In a row; those of its budget are counted apart from all others. */
  readonly failures: number;
  /** When its eviction is asked for again. */
  readonly until: number;
  /** What came back, where `by` does not tell. */
  readonly message?: string;
  /** What held it before and says more: that is shown in its place for a while. */
  readonly shown?: Pick<PodNote, 'by' | 'message' | 'until'>;
}

/** Deployments that were rolled so that a new pod is Ready before one leaves, by their uid; `putBack`: somebody undid that. */
export type Rolls = Readonly<Record<string, 'rolled' | 'putBack'>>;

export type DrainAnswer =
  /**
   * The Machine has no Node; `leftTo`: it is left to another Machine, of this namespace and name, which claims it. `ambiguous`: several
   * say that they are of its instance, as it says in words, and nothing was done to any.
   */
  | { readonly outcome: 'noNode'; readonly leftTo?: string; readonly ambiguous?: string }
  /**
   * Nothing is left on it that has to go. `abandoned`: pods that are there still and not waited for. `volumes`: what is attached;
   * absent: that could not be looked at. `isUntold`: its Node does not tell of it, as it was over so soon, or could not be told to.
   */
  | {
      readonly outcome: 'drained';
      readonly abandoned: SomeNames;
      readonly volumes?: SomeNames;
      readonly isUntold?: true;
    }
  | ({ readonly outcome: 'draining' } & DrainReport)
  /** The deadline of a deletion's drain has passed. `volumes`: what is attached, but for the volumes of the pods that are left. */
  | {
      readonly outcome: 'expired';
      readonly abandoned: SomeNames;
      readonly volumes?: SomeNames;
      readonly isUntold?: true;
    }
  /** A look took longer than a pass may. It goes on, and the next pass has what it shows. `cordonedAt`: since when the Node is. */
  | { readonly outcome: 'unfinished'; readonly cordonedAt?: number }
  /** The API server could not do it now. */
  | { readonly outcome: 'failed'; readonly message: string };

export type UncordonAnswer =
  /** `isCordoned`: the Node stays cordoned, by somebody else. */
  | { readonly outcome: 'done'; readonly isCordoned?: true }
  /** The API server could not do it now. */
  | { readonly outcome: 'failed'; readonly message: string };

export type VacateAnswer =
  /** The Machine has no Node. */
  | { readonly outcome: 'noNode' }
  /** What Kubernetes has yet to take away. `volumes` is absent where that could not be looked at. `isTold`: it is told to. */
  | {
      readonly outcome: 'vacating';
      readonly isTold: boolean;
      readonly pods: SomeNames;
      readonly volumes?: SomeNames;
    }
  /** The API server could not do it now. */
  | { readonly outcome: 'failed'; readonly message: string };

export interface DrainReport {
  /** The Node's name: the Machine need not have it on record. */
  readonly node: string;
  readonly cordonedAt: number;
  /** How many pods have yet to go, by what they wait for. */
  readonly counts: {
    /** They were asked to end, and do. */
    readonly leaving: number;
    /** They end by themselves, or go when others are gone. */
    readonly waiting: number;
    /** Their eviction was refused, or came to nothing. */
    readonly held: number;
  };
  /** The pods that do, the first of them. Absent: there are none, or it was not told. */
  readonly leaving?: SomeNames;
  /** What holds it up, and the first of the pods that it is about; absent: nothing does. */
  readonly trouble?: { readonly reason: WaitReason & ConditionReason; readonly message: string };
  /** Pods that are asked again in a moment, of which nothing else tells. Absent: there are none. */
  readonly askedSoon?: SomeNames;
  /** Pods whose label asks drains to wait until they have ended; absent: there are none. */
  readonly awaited?: SomeNames;
  readonly notes: PodNotes;
  /** Absent: no Deployment was rolled. */
  readonly rolls?: Rolls;
  /** What is new of these rolls. Absent: nothing is. */
  readonly news?: readonly ObjectEvent[];
  /** When there is something to do or to see. */
  readonly until: number;
  /** When it is over, where it is to be soon. */
  readonly hurriedUntil?: number;
  /** The pods that are left at the deadline of a maintenance's drain, which goes on. Absent: it has not passed. */
  readonly overdue?: SomeNames;
  /** The Node is not Ready: its instance may have ended. */
  readonly isNodeDown?: true;
}

export type VolumesLook =
  | { readonly outcome: 'seen'; readonly volumes: SomeNames }
  /** The API server could not tell now; `isRefused`: it would not. */
  | { readonly outcome: 'failed'; readonly message: string; readonly isRefused?: true };
