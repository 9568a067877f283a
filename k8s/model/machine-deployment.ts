import type { Condition } from './condition.ts';
import type { LabelSelector, MachineTemplate } from './machine-set.ts';
import type { ObjectRef } from './object-ref.ts';

/** `RollingUpdate`: a few at a time. `Recreate`: the old ones first. `OnDelete`: as somebody deletes them. */
export const ROLLOUT_TYPES = ['RollingUpdate', 'Recreate', 'OnDelete'] as const;
export type RolloutType = (typeof ROLLOUT_TYPES)[number];

/** One step of a rollout. */
export type RolloutStep =
  /** So many Machines of the new template there may be: a number, or a share of replicas in percent. */
  | { readonly kind: 'machines'; readonly machines: number | string }
  /** Absent: until somebody ends it. */
  | { readonly kind: 'pause'; readonly forMs?: number }
  | { readonly kind: 'approval' };

/** Where a rollout by steps stands. */
export interface StepStatus {
  /** Of the template that is rolled out. */
  readonly templateHash: string;
  readonly revision: number;
  /** How many steps are behind it. */
  readonly passed: number;
  /** When the last of these was passed, or the rollout began. RFC 3339. */
  readonly since: string;
}

/** Somebody's word on one step of one revision. */
export interface StepWord {
  /** Which, as {@link stepToken} has it. */
  readonly token: string;
  /** Whose it is, as he says. */
  readonly by?: string;
}

/** What the cloud said to a launch of a template, before anything was made or taken for it. */
export interface PreflightStatus {
  readonly templateHash: string;
  readonly revision: number;
  /** Of the deployment when it was asked. */
  readonly generation?: number;
  /** Whether a launch would work, as far as the cloud tells. */
  readonly passed: boolean;
  /** Why it would not, or what may hold the rollout up all the same. */
  readonly message?: string;
  /** RFC 3339. */
  readonly checkedAt: string;
}

/**
 * What is on record, where it is of this template.
 *
 * @param revision of the template; absent: whichever is on record
 */
export function onRecordFor<Status extends Pick<StepStatus, 'templateHash' | 'revision'>>(
  status: Status | undefined,
  templateHash: string,
  revision: number | undefined,
): Status | undefined {
  const isOfIt = status?.templateHash === templateHash && (revision ?? status.revision) === status.revision;
  return isOfIt ? status : undefined;
}

/**
 * That it was rolled back to the template of this revision: that is the one after the revision that failed. What was released since is another
 * one.
 *
 * @param revision of the template as it is now
 */
export function rolledBackTo(
  { rolledBack }: Pick<MachineDeployment, 'rolledBack'>,
  revision: number | undefined,
): RolledBack | undefined {
  return rolledBack !== undefined && revision === rolledBack.revision + 1 ? rolledBack : undefined;
}

/** What names one step of one revision; the first step is 1. */
export function stepToken(
  { revision, templateHash }: Pick<StepStatus, 'revision' | 'templateHash'>,
  step: number,
): string {
  return `${revision}-${templateHash}-${step}`;
}

/** How Machines of an earlier template are replaced. */
export interface RolloutStrategy {
  readonly type: RolloutType;
  /** A number, or a share of replicas in percent, e.g. `25%`. @default 1 */
  readonly maxSurge: number | string;
  /** Likewise. @default 0 */
  readonly maxUnavailable: number | string;
  /** How many new Machines have to fail for the rollout to stop; absent: it never does for that. */
  readonly failureThreshold?: number;
  /** Where it stops, it goes back to the last complete template, if there is one. */
  readonly rollsBack: boolean;
  /** What a change of the template goes by, before the rest is rolled. */
  readonly steps: readonly RolloutStep[];
  /** Whether a change of the template may replace Machines. */
  readonly mayReplace: boolean;
}

/** That a rollout was rolled back, as the deployment has it on record. */
export interface RolledBack {
  /** Hash of the template whose Machines failed. */
  readonly from: string;
  /** Its revision. */
  readonly revision: number;
  /** Which Machine failed, and how. */
  readonly why: string;
}

export interface MachineDeployment {
  /** What is wrong with the stored object; then nothing else of its spec counts. */
  readonly malformed?: string;
  readonly ref: ObjectRef;
  readonly generation: number;
  readonly deletedAt?: string;
  /** Nothing is done, by an annotation. */
  readonly paused: boolean;
  /** A take-over has put that annotation there. */
  readonly pausedByTakeOver?: true;
  /** No Machine is made or taken for a change of the template. */
  readonly isRolloutPaused: boolean;
  readonly replicas: number;
  /** cluster-autoscaler scales it, to no fewer replicas than this. Absent: it does not. */
  readonly autoscaledFrom?: number;
  readonly minReadySeconds: number;
  /** Seconds from its launch within which a new Machine has to be available. */
  readonly progressDeadlineSeconds: number;
  /** How many sets without Machines are kept of earlier templates. */
  readonly revisionHistoryLimit: number;
  readonly strategy: RolloutStrategy;
  readonly selector: LabelSelector;
  readonly template: MachineTemplate;
  /** The step that was approved last, and the pause among the steps that was ended last. */
  readonly approvedStep?: StepWord;
  readonly resumedStep?: StepWord;
  /** The annotations by which somebody approves a step, or ends a pause among them. Absent: its API has none. */
  readonly stepAnnotations?: Readonly<Record<'approve' | 'resume', string>>;
  /** Absent: it was never rolled back by itself. */
  readonly rolledBack?: RolledBack;
  /** The same for the same template: by it a set is known to be of this one. */
  readonly templateHash: string;
}

export interface MachineDeploymentStatus {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly unavailableReplicas: number;
  /** Absent: there is no set of its template yet. */
  readonly revision?: number;
  /** Hash of the last template that was rolled out whole; absent: none was yet. */
  readonly completeTemplateHash?: string;
  /** Absent: nothing is rolled out, or the cloud was not asked yet. */
  readonly preflight?: PreflightStatus;
  /** Absent: nothing is rolled out by steps. */
  readonly step?: StepStatus;
  readonly observedGeneration: number;
  /** The selector as text, for the scale subresource. */
  readonly labelSelector: string;
  readonly conditions: readonly Condition[];
}

/** Nobody has driven it yet: whoever does, Millwright or another controller, keeps in its status which generation he saw. */
export function isUntouched({ observedGeneration }: Partial<MachineDeploymentStatus>): boolean {
  return observedGeneration === undefined;
}
