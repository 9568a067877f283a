import type { Condition } from './condition.ts';
import type { MachinePhase } from './machine.ts';
import type { ObjectRef } from './object-ref.ts';
import type { RolloutMark } from './rollout-mark.ts';
import type { TemplateSettings } from './template-settings.ts';

/** Until when a Machine that is being deleted fills a place of its set: its deletion's beginning, its drain's end, its instance's end. */
export type ReplaceAfter = 'Deleted' | 'Drained' | 'Gone';

export type DeletePolicy = 'Random' | 'Newest' | 'Oldest';

export interface MachineSet {
  /** What is wrong with the stored object; then nothing else of its spec counts. */
  readonly malformed?: string;
  readonly ref: ObjectRef;
  readonly generation: number;
  readonly deletedAt?: string;
  readonly paused: boolean;
  readonly replicas: number;
  /** cluster-autoscaler scales it, to no fewer replicas than this. Absent: it does not. */
  readonly autoscaledFrom?: number;
  readonly minReadySeconds: number;
  readonly deletePolicy: DeletePolicy;
  /** @default Deleted */
  readonly replaceAfter: ReplaceAfter;
  /** The most Machines that may be there, those included that are being deleted; then `replaceAfter` does not count. @default no limit */
  readonly maxMachines?: number;
  /** The MachineDeployment that controls it. */
  readonly deployment?: ObjectRef;
  /** The same for the same template; of a deployment's own set, that of the template which it was made of. */
  readonly templateHash: string;
  /** That of a deployment's own set, as its template is read today; absent: it is the same. */
  readonly templateHashNow?: string;
  /** Which of the deployment's templates it has, counted from 1; 0: it is of none. */
  readonly revision: number;
  /** The deployment that it names by a label, as cluster-autoscaler looks for the sets of one. */
  readonly deploymentName?: string;
  /** A rollout of its deployment is under way; absent: none is. */
  readonly rollout?: RolloutMark;
  readonly selector: LabelSelector;
  readonly template: MachineTemplate;
  /** As its deployment had the template when it was the newest one; absent: it is as it was. */
  readonly revisionTemplate?: MachineTemplate;
}

/** What going back to the set's revision puts in place. */
export function templateOfRevision({
  template,
  revisionTemplate,
}: Pick<MachineSet, 'template' | 'revisionTemplate'>): MachineTemplate {
  return revisionTemplate ?? template;
}

/** Kubernetes' label selector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** What a MachineDeployment wants of one of its sets. */
export interface SetOrder {
  readonly replicas: number;
  readonly maxMachines: number;
  readonly minReadySeconds: number;
  readonly revision: number;
  readonly deploymentName: string;
  /** Absent: no rollout is under way. */
  readonly rollout?: RolloutMark;
}

export interface MachineTemplate {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Name of the MachineClass that its Machines refer to; absent: they have a providerSpec of their own. */
  readonly machineClass?: string;
  /** What its Machines ask of the cloud, as the API gives it to a provider. Absent: they refer to a MachineClass. */
  readonly providerSpec?: unknown;
  /** As in the object: copied, not read. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** What of it reaches the machines that are there, where a deployment has the set. */
  readonly settings: TemplateSettings;
}

export interface MachineSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly observedGeneration: number;
  /** The selector as text, for the scale subresource. */
  readonly labelSelector: string;
  readonly conditions: readonly Condition[];
  readonly error?: { readonly reason: string; readonly message: string };
}

/** `begun`: neither its drain began nor was its instance asked to end. `drained`: its volumes are done with, too. */
export type DeletionStage = 'begun' | 'draining' | 'drained' | 'ending';

/** A Machine as its MachineSet sees it. */
export interface Replica {
  readonly name: string;
  readonly uid: string;
  /** Of the object this was read from: another one means that it changed. */
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  /** uid of its controller; absent: an orphan. */
  readonly controller?: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly deleting: boolean;
  readonly phase?: MachinePhase;
  readonly hasNode: boolean;
  /** RFC 3339: since when its Node is Ready; absent: it is not. */
  readonly readySince?: string;
  /** Why it cannot be used although its Node may be Ready; absent: nothing tells of that. */
  readonly unusable?: string;
  /** Asked to be deleted first, by annotation. */
  readonly markedForDeletion: boolean;
  /** When cluster-autoscaler asked for that, in milliseconds since the epoch; absent: somebody else did, or nobody. */
  readonly markedAt?: number;
  /** How far its deletion is; absent: it lives, or nothing of it may run. */
  readonly going?: DeletionStage;
  /** Settings of its set's template that were written to it last, as text; absent: none. */
  readonly settings?: string;
  /** What it says of a rollout. */
  readonly rollout?: RolloutMark;
}
