import { given } from '../../providers/given.ts';
import type { ObjectMeta } from '../object-meta.ts';
import type { Toleration } from './taint.ts';

/** A Pod as the API server answers it, as far as it is read here. */
export interface StoredPod {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'creationTimestamp'> &
    Partial<ObjectMeta> & { readonly deletionGracePeriodSeconds?: number };
  readonly spec?: {
    readonly nodeName?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly priorityClassName?: string;
    readonly tolerations?: readonly Toleration[];
    readonly readinessGates?: readonly { readonly conditionType: string }[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
      /** A claim is made for it, whose name is that of pod and volume. */
      readonly ephemeral?: object;
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly StoredContainer[];
    readonly initContainerStatuses?: readonly StoredContainer[];
    readonly ephemeralContainerStatuses?: readonly StoredContainer[];
  };
}

interface StoredContainer {
  readonly state?: { readonly running?: object };
}

/** A Pod on a Node that is drained. */
export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Who makes another one in its place. */
  readonly controller?: { readonly kind: string; readonly name: string; readonly uid: string };
  /** It stands for what the kubelet itself runs, and cannot be evicted. */
  readonly isMirror: boolean;
  /** When its grace period ends, in milliseconds since the epoch; absent: it is not being deleted. */
  readonly endsAt?: number;
  /** When it was asked to end, likewise. */
  readonly askedToEndAt?: number;
  /** How long its containers may take to end, in milliseconds. */
  readonly graceMs: number;
  /** It succeeded or failed, and runs no more. */
  readonly isFinished: boolean;
  /** None of its containers runs. */
  readonly hasEnded: boolean;
  readonly isReady: boolean;
  /**
   * Since when Kubernetes says that it is not Ready only because its Node is not heard: its containers were ready when its kubelet told
   * of them last. In milliseconds since the epoch.
   */
  readonly unheardFrom?: number;
  readonly isSystemCritical: boolean;
  /** What its owner asks of drains, by Cluster API's label. */
  readonly drain?: 'skip' | 'wait-completed';
  /** Its owner asks that nobody ends it who need not. */
  readonly isNotToBeDisrupted: boolean;
  /** Names of its PersistentVolumeClaims. */
  readonly claims: readonly string[];
  readonly finalizers: readonly string[];
  readonly tolerations: readonly Toleration[];
}

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
/** By these annotations, for which cluster-autoscaler and Karpenter leave it alone. */
const PROTECTIONS = [
  ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'false'],
  ['karpenter.sh/do-not-disrupt', 'true'],
] as const;
const DRAIN_LABEL = 'cluster.x-k8s.io/drain';
const SYSTEM_CRITICAL: ReadonlySet<string | undefined> = new Set(['system-cluster-critical', 'system-node-critical']);
/** Where a Pod does not say it, in seconds: as Kubernetes has it. */
const DEFAULT_GRACE_SECONDS = 30;

export function readPod({ metadata, spec = {}, status = {} }: StoredPod): Pod {
  const { namespace, name, uid, labels = {}, annotations = {}, finalizers = [] } = metadata;
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const isFinished = status.phase === 'Succeeded' || status.phase === 'Failed';
  return {
    namespace,
    name,
    uid,
    createdAt: Date.parse(metadata.creationTimestamp),
    labels,
    ...given({ controller: controller && { kind: controller.kind, name: controller.name, uid: controller.uid } }),
    isMirror: annotations[MIRROR_ANNOTATION] !== undefined,
    ...deletionOf(metadata),
    graceMs: (spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1000,
    isFinished,
    hasEnded: isFinished || hasEnded(status),
    isReady: isTrue(status, 'Ready'),
    ...given({ unheardFrom: unheardFrom(spec, status) }),
    isSystemCritical: SYSTEM_CRITICAL.has(spec.priorityClassName),
    ...given({ drain: drainOf(labels) }),
    isNotToBeDisrupted: PROTECTIONS.some(([annotation, value]) => annotations[annotation] === value),
    claims: claimsOf(name, spec),
    finalizers,
    tolerations: spec.tolerations ?? [],
  };
}

function isTrue({ conditions = [] }: NonNullable<StoredPod['status']>, condition: string): boolean {
  return conditions.some(({ type, status }) => type === condition && status === 'True');
}

/** A kubelet calls a pod not Ready where its containers, or its gates, are not; that the Node is silent is said by another, of the pod alone. */
function unheardFrom(
  { readinessGates = [] }: NonNullable<StoredPod['spec']>,
  status: NonNullable<StoredPod['status']>,
): number | undefined {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const at = Date.parse(ready?.lastTransitionTime ?? '');
  if (ready?.status !== 'False' || Number.isNaN(at)) return undefined;
  const wanted = ['ContainersReady', ...readinessGates.map(({ conditionType }) => conditionType)];
  return wanted.every((condition) => isTrue(status, condition)) ? at : undefined;
}

function deletionOf({
  deletionTimestamp,
  deletionGracePeriodSeconds = 0,
}: StoredPod['metadata']): Pick<Pod, 'endsAt' | 'askedToEndAt'> {
  if (deletionTimestamp === undefined) return {};
  const endsAt = Date.parse(deletionTimestamp);
  return { endsAt, askedToEndAt: endsAt - deletionGracePeriodSeconds * 1000 };
}

function hasEnded({ phase, ...status }: NonNullable<StoredPod['status']>): boolean {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const containers = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  // Of one that runs the kubelet tells; of one that it never started it tells nothing.
  if (containers.length === 0) return phase !== 'Running';
  return containers.every(({ state }) => state?.running === undefined);
}

function drainOf({ [DRAIN_LABEL]: asked = '' }: Readonly<Record<string, string>>): Pod['drain'] {
  const word = asked.toLowerCase();
  return word === 'skip' || word === 'wait-completed' ? word : undefined;
}

function claimsOf(pod: string, { volumes = [] }: NonNullable<StoredPod['spec']>): string[] {
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${pod}-${name}`];
  });
}
