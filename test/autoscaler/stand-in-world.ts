import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import {
  AUTOSCALER_MAX_SIZE_ANNOTATION,
  AUTOSCALER_MIN_SIZE_ANNOTATION,
  DEPLOYMENT_NAME_LABEL,
  REVISION_ANNOTATION,
} from '../../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import type { Node } from '../../k8s/model/node.ts';
import type { AutoscalerCalls, Group } from './calls.ts';

const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io/';
/** Of the pods and the Nodes of a case. */
export const POOL_LABEL = 'node-restriction.kubernetes.io/pool';

export interface SeenPod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string; readonly nodeSelector?: Readonly<Record<string, string>> };
}

/** A node group as it is now. */
export interface SeenGroup {
  readonly id: string;
  readonly object: Group;
  readonly min: number;
  readonly max: number;
  readonly replicas: number;
  readonly pool: string | undefined;
  /** How many cores a Node of it has, as it says before there is one. */
  readonly cpus: number;
  /** Failed before they had a Node. */
  readonly failed: readonly MachineObject[];
  /** Members whose Node has their very providerID. */
  readonly ready: readonly { readonly machine: MachineObject; readonly node: Node }[];
}

/** Undefined: it is none. */
export async function readGroup(
  calls: AutoscalerCalls,
  object: Group,
  nodes: readonly Node[],
): Promise<SeenGroup | undefined> {
  const { kind, metadata, spec } = object;
  const { annotations = {} } = metadata;
  const max = Number(annotations[AUTOSCALER_MAX_SIZE_ANNOTATION] ?? 0);
  if (max === 0 || annotations[PAUSED_ANNOTATION] !== undefined) return undefined;
  const replicas = await calls.getReplicas(object);
  const cpus = Number(annotations[`${CAPACITY}cpu`] ?? 0);
  const members = await calls.members(object);
  const isLiving = ({ metadata: { deletionTimestamp } }: MachineObject) => deletionTimestamp === undefined;
  const ready = members.filter(isLiving).flatMap((machine) => {
    const node = nodes.find((each) => each.spec?.providerID === machine.spec.providerID);
    return node === undefined || machine.spec.providerID === undefined ? [] : [{ machine, node }];
  });
  // Of nothing that is there and nothing that it says no Node can be told.
  if (replicas === 0 && cpus === 0) return undefined;
  return {
    id: `${kind}/${metadata.namespace}/${metadata.name}`,
    object,
    min: Number(annotations[AUTOSCALER_MIN_SIZE_ANNOTATION] ?? 0),
    max,
    replicas,
    pool: (spec.template.spec as { metadata?: { labels?: Record<string, string> } }).metadata?.labels?.[POOL_LABEL],
    cpus,
    failed: members.filter(
      ({ status, ...machine }) =>
        isLiving(machine) && status?.nodeRef === undefined && status?.failureMessage !== undefined,
    ),
    ready,
  };
}

/** A deployment another set of which has machines still. */
export function isRolling({ kind, metadata }: Group, sets: readonly MachineSetObject[]): boolean {
  if (kind === 'MachineSet') return false;
  const own = sets.filter(({ metadata: { labels } }) => labels?.[DEPLOYMENT_NAME_LABEL] === metadata.name);
  const revisionOf = (set: MachineSetObject) => Number(set.metadata.annotations?.[REVISION_ANNOTATION]);
  const newest = Math.max(...own.map(revisionOf));
  return own.some((set) => revisionOf(set) !== newest && set.spec.replicas + (set.status?.replicas ?? 0) > 0);
}

/** How many pods of each pool have no Node. */
export function pendingPods(pods: readonly SeenPod[]): ReadonlyMap<string, number> {
  const waiting = new Map<string, number>();
  for (const { metadata, spec } of pods) {
    const pool = spec.nodeSelector?.[POOL_LABEL];
    if (pool === undefined || spec.nodeName !== undefined || metadata.deletionTimestamp !== undefined) continue;
    waiting.set(pool, (waiting.get(pool) ?? 0) + 1);
  }
  return waiting;
}
