import type { KubeClient } from '../../k8s/client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { DrainPurpose } from '../../k8s/model/drain.ts';
import { DRAIN_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import { isOurCondition, OUR_CONDITION_REASON, type Node } from '../../k8s/model/node.ts';
import { NODES } from '../../k8s/resources.ts';
import type { DrainNode } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { onObject } from '../failures.ts';
import { excludeNode } from './cordon.ts';

/** What Kubernetes calls it (KEP-5683). Only conditions that are True are written: what is not is left out. */
const MESSAGES = {
  DrainInProgress: 'pods that have to leave were asked to, and some are there still',
  Drained: 'all pods that have to leave have left',
  MaintenanceInProgress: 'its machine is in maintenance',
} as const;
type LifecycleType = keyof typeof MESSAGES;

/** A drain that is over within so long after the cordon is told of by nothing on its Node, in milliseconds. */
const BRIEF_MS = 4000;

/** How a drain stands after a pass. */
export interface Shown {
  readonly request: Pick<DrainNode, 'ref' | 'purpose' | 'now' | 'cordonedAt'>;
  /** `ending`: nothing stays that has to leave, and some of it is there still. */
  readonly point: 'draining' | 'ending' | 'drained';
}

/**
 * Has the Node tell how far its drain is, where it does not yet: by its conditions, and to load balancers. What was asked of pods counts,
 * whether or not this can be written: the next pass tries it again. False: it is over so soon that nothing is to be told.
 */
export async function showOnNode(
  { kube, log }: Pick<MachineDeps, 'kube' | 'log'>,
  node: Node,
  { request, point }: Shown,
): Promise<boolean> {
  const { purpose, now, cordonedAt } = request;
  // Most drains are over by then, and the Node goes: that costs no write.
  const isBrief = point === 'drained' ? toldOn(node).length === 0 : now < (cordonedAt ?? now) + BRIEF_MS;
  if (isBrief && purpose !== 'maintenance') return false;
  try {
    await applyConditions(kube, node, typesOf(purpose, point), now);
    if (point !== 'drained') await excludeNode(kube, node, request, point === 'ending');
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    log.warn({ node: node.metadata.name, error: error.message }, 'could not write what its drain has come to');
  }
  return true;
}

/** The Node tells that it is drained for a deletion, however soon that was over: it stays for a while. */
export async function showDrained(kube: KubeClient, node: Node, now: number): Promise<void> {
  await onObject(() => applyConditions(kube, node, typesOf('deletion', 'drained'), now));
}

/** Nothing of a drain is told any more. */
export async function clearOnNode(kube: KubeClient, node: Node): Promise<void> {
  await onObject(() => applyConditions(kube, node, [], 0));
}

function typesOf(purpose: DrainPurpose, point: Shown['point']): readonly LifecycleType[] {
  const own = point === 'drained' ? 'Drained' : 'DrainInProgress';
  return purpose === 'maintenance' ? [own, 'MaintenanceInProgress'] : [own];
}

async function applyConditions(
  kube: KubeClient,
  node: Node,
  types: readonly LifecycleType[],
  now: number,
): Promise<void> {
  const { name, uid } = node.metadata;
  const told = toldOn(node);
  if (told.length === types.length && told.every(({ type }) => types.some((one) => one === type))) return;
  const conditions = types.map((type) => {
    const since = told.find((one) => one.type === type)?.lastTransitionTime ?? new Date(now).toISOString();
    const words = { reason: OUR_CONDITION_REASON, message: MESSAGES[type] };
    return { type, status: 'True', ...words, lastTransitionTime: since };
  });
  const body = { metadata: { uid }, ...(conditions.length === 0 ? {} : { status: { conditions } }) };
  const options = { fieldManager: DRAIN_FIELD_MANAGER, subresource: 'status' } as const;
  await kube.apply(NODES, undefined, name, body, options);
}

function toldOn({ status }: Node) {
  return (status?.conditions ?? []).filter(isOurCondition);
}
