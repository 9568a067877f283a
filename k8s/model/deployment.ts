import { asClause } from './as-clause.ts';
import type { LabelSelector } from './machine-set.ts';
import { scaledValue } from './scaled-value.ts';
import { given } from '../../providers/given.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** A Deployment as the API server answers it, as far as it is read here. */
export interface StoredDeployment {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'resourceVersion'> & Partial<ObjectMeta>;
  readonly spec?: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly selector?: LabelSelector;
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
    };
    readonly template?: { readonly metadata?: Pick<Partial<ObjectMeta>, 'annotations'> };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** A Deployment, with what tells whether it can be rolled so that nobody notices. */
export interface Deployment {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** What its owner asks of drains, as it is written; absent: nothing. */
  readonly asked?: string;
  readonly replicas: number;
  /** Of its pods. */
  readonly selector: LabelSelector;
  /** By how many pods a rollout goes above `replicas`, and by how many below; absent: it ends the old pods first (`Recreate`). */
  readonly rolling?: { readonly surge: number; readonly unavailable: number };
  readonly isPaused: boolean;
  readonly isBeingDeleted: boolean;
  /** The drain that it was rolled for last, by the Deployment itself and by its template. */
  readonly rolledFor: { readonly recorded?: string; readonly template?: string };
  readonly rollout: Rollout;
}

export interface Rollout {
  readonly state: 'complete' | 'underWay' | 'failed';
  /** How it stands. */
  readonly words: string;
}

/** On a Deployment, by its owner: what drains may do with it. */
export const DRAIN_ANNOTATION = 'millwright.dev/drain';
/** Ours, on a Deployment and in its template: the drain that it was rolled for last. */
export const ROLLED_FOR_ANNOTATION = 'millwright.dev/rolled-for';
/** What Kubernetes takes where a Deployment does not say it. */
const DEFAULT_SHARE = '25%';

export function readDeployment({ metadata, spec = {}, status = {} }: StoredDeployment): Deployment {
  const { namespace, name, uid, resourceVersion, annotations = {} } = metadata;
  const { replicas = 1, selector = {}, strategy, template } = spec;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    ...given({ asked: annotations[DRAIN_ANNOTATION] }),
    replicas,
    selector,
    ...given({ rolling: rollingOf(strategy, replicas) }),
    isPaused: spec.paused === true,
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
    rolledFor: given({
      recorded: annotations[ROLLED_FOR_ANNOTATION],
      template: template?.metadata?.annotations?.[ROLLED_FOR_ANNOTATION],
    }),
    rollout: rolloutOf(metadata.generation ?? 0, replicas, status),
  };
}

type Strategy = NonNullable<StoredDeployment['spec']>['strategy'];

/**
 * Shares are rounded up for maxSurge and down for maxUnavailable; where both come to 0, one pod may be unavailable.
 * (Kubernetes: ResolveFenceposts in pkg/controller/deployment/util/deployment_util.go)
 */
function rollingOf(
  { type = 'RollingUpdate', rollingUpdate = {} }: Strategy = {},
  replicas: number,
): Deployment['rolling'] {
  if (type !== 'RollingUpdate') return undefined;
  const { maxSurge = DEFAULT_SHARE, maxUnavailable = DEFAULT_SHARE } = rollingUpdate;
  const surge = scaledValue(maxSurge, replicas, Math.ceil);
  const unavailable = scaledValue(maxUnavailable, replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** By what `kubectl rollout status` goes by. */
function rolloutOf(generation: number, replicas: number, status: NonNullable<StoredDeployment['status']>): Rollout {
  const { observedGeneration = 0, replicas: all = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  if (observedGeneration < generation)
    return { state: 'underWay', words: 'its controller has yet to see its last change' };
  const failure = status.conditions?.find(
    ({ type, status: is }) =>
      (type === 'Progressing' && is === 'False') || (type === 'ReplicaFailure' && is === 'True'),
  );
  if (failure !== undefined) return { state: 'failed', words: asClause(failure.message ?? failure.type) };
  const words = `${updatedReplicas} of ${replicas} pods are new, ${availableReplicas} of ${all} available`;
  const isComplete = updatedReplicas >= replicas && all <= updatedReplicas && availableReplicas >= updatedReplicas;
  return { state: isComplete ? 'complete' : 'underWay', words };
}
