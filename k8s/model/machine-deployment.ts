import type { Condition } from './condition.ts';
import type { LabelSelector, MachineTemplate } from './machine-set.ts';
import type { ObjectRef } from './object-ref.ts';

/** `RollingUpdate`: a few at a time. `Recreate`: the old ones first. `OnDelete`: as somebody deletes them. */
export const ROLLOUT_TYPES = ['RollingUpdate', 'Recreate', 'OnDelete'] as const;
export type RolloutType = (typeof ROLLOUT_TYPES)[number];

/** How Machines of an earlier template are replaced. */
export interface RolloutStrategy {
  readonly type: RolloutType;
  /** A number, or a share of replicas in percent, e.g. `25%`. @default 1 */
  readonly maxSurge: number | string;
  /** Likewise. @default 0 */
  readonly maxUnavailable: number | string;
  /** How many new Machines have to fail for the rollout to pause; absent: it never does for that. */
  readonly failureThreshold?: number;
}

export interface MachineDeployment {
  /** What is wrong with the stored object; then nothing else of its spec counts. */
  readonly malformed?: string;
  readonly ref: ObjectRef;
  readonly generation: number;
  readonly deletedAt?: string;
  /** Nothing is done, by an annotation. */
  readonly paused: boolean;
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
  readonly observedGeneration: number;
  /** The selector as text, for the scale subresource. */
  readonly labelSelector: string;
  readonly conditions: readonly Condition[];
}
