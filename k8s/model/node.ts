import type { DrainPurpose } from './drain.ts';
import type { Taint } from './machine.ts';
import type { ObjectRef } from './object-ref.ts';

/** Says of a Node that we cordoned it, for which Machine and what for. Written and taken off together with the cordon. */
export const DRAINED_FOR_ANNOTATION = 'millwright.dev/drained-for';

/** Says of a Node whose Machine is gone that nobody knows whether its instance, which it names, still runs. */
export const INSTANCE_UNKNOWN_ANNOTATION = 'millwright.dev/instance-unknown';

/**
 * Tells Kubernetes that nothing on a Node runs any more: it takes away the pods that do not tolerate it, and detaches their volumes,
 * without the Node's kubelet.
 */
export const OUT_OF_SERVICE: Taint = {
  key: 'node.kubernetes.io/out-of-service',
  value: 'nodeshutdown',
  effect: 'NoExecute',
};

/** Says of a Node that {@link OUT_OF_SERVICE} is ours, and for which Machine. Written and taken off together with it. */
export const OUT_OF_SERVICE_ANNOTATION = 'millwright.dev/out-of-service';

/**
 * Has load balancers that Kubernetes keeps leave a Node out. Written while its last pods end, so that they get no new requests.
 */
export const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Says of a Node that {@link EXCLUDED_LABEL} is ours. */
export const EXCLUDED_ANNOTATION = 'millwright.dev/excluded-from-load-balancers';

/** Of a Node's condition that a drain of ours wrote. */
export const OUR_CONDITION_REASON = 'Millwright';

/** On a Node: what of its labels, annotations and taints we put there, so that what its Machine names no more is taken off again. JSON. */
export const MARKS_ANNOTATION = 'millwright.dev/applied';

/** Keeps pods of DaemonSets from a Node that they have just left; ours. */
export const DRAINING: Taint = { key: 'millwright.dev/draining', effect: 'NoSchedule' };

/** A Node, as far as it is read here. */
export interface Node {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    /** It is cordoned: no new pods are put on it. */
    readonly unschedulable?: boolean;
  };
  readonly status?: {
    /** What pods may have of it, by resource. */
    readonly allocatable?: Readonly<Record<string, string>>;
    /** By their unique names, e.g. `kubernetes.io/csi/<driver>^<handle>`. */
    readonly volumesAttached?: readonly { readonly name: string }[];
    readonly nodeInfo?: {
      /** Another one after each boot of its instance. */
      readonly bootID?: string;
    };
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: 'True' | 'False' | 'Unknown';
      readonly reason?: string;
      readonly message?: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

export function isOurCondition({ reason }: { readonly reason?: string }): boolean {
  return reason === OUR_CONDITION_REASON;
}

/** Our condition says how a drain of it ended: True, all pods that have to leave have left. */
export function isDrainOver({ status }: Pick<Node, 'status'>): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === 'Drained' && isOurCondition(condition));
}

/** Something of a drain of ours is on it. */
export function isHeld({ metadata, status }: Pick<Node, 'metadata' | 'status'>): boolean {
  return DRAINED_FOR_ANNOTATION in (metadata.annotations ?? {}) || (status?.conditions ?? []).some(isOurCondition);
}

/** What {@link DRAINED_FOR_ANNOTATION} says. */
export function drainedFor({ kind, namespace, name }: ObjectRef, purpose: DrainPurpose): string {
  return `${kind} ${namespace}/${name}: ${purpose}`;
}

/** It says that it was cordoned for a deletion. */
export function isHeldForDeletion({ metadata }: Pick<Node, 'metadata'>): boolean {
  const purpose: DrainPurpose = 'deletion';
  return metadata.annotations?.[DRAINED_FOR_ANNOTATION]?.endsWith(`: ${purpose}`) === true;
}

/** What its kubelet, or whoever missed that, says of it; undefined before the first word. */
export function readinessOf({ status }: Pick<Node, 'status'>) {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** A Node whose kubelet has been silent for so long cannot answer, in milliseconds. */
export const SILENT_MS = 60_000;

/**
 * From when on a Node counts as one that cannot answer, in milliseconds since the epoch; undefined: it answers.
 *
 * @param ready what is said of it by {@link readinessOf}
 * @param since RFC 3339: since when
 */
export function silentFrom(ready: string | undefined, since: string | undefined): number | undefined {
  const at = unknownSince(ready, since);
  return at === undefined ? undefined : at + SILENT_MS;
}

/** Since when its kubelet is not heard of, in milliseconds since the epoch; undefined: it is. Parameters as of {@link silentFrom}. */
export function unknownSince(ready: string | undefined, since: string | undefined): number | undefined {
  const at = Date.parse(since ?? '');
  return ready !== 'Unknown' || Number.isNaN(at) ? undefined : at;
}

export function isReady(node: Pick<Node, 'status'>): boolean {
  return readinessOf(node)?.status === 'True';
}
