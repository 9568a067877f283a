import type { KubeClient } from '../../k8s/client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { DrainPurpose } from '../../k8s/model/drain.ts';
import { DRAIN_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import { isOurCondition, OUR_CONDITION_REASON, type Node } from '../../k8s/model/node.ts';
import { NODES } from '../../k8s/resources.ts';
import type { DrainEnd, DrainNode } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { onObject } from '../failures.ts';
import { excludeNode } from './cordon.ts';
import { given } from '../../providers/given.ts';

/** What a Node tells, as Kubernetes calls it (KEP-5683). What else is not so is left out. */
const DRAINING = {
  type: 'DrainInProgress',
  status: 'True',
  message: 'some pods are there still that have to leave',
} as const;
const DRAINED = { type: 'Drained', status: 'True', message: 'all pods that are waited for have left' } as const;
const CUT_SHORT = {
  type: 'Drained',
  status: 'False',
  message: 'the drain ended before all pods that have to leave had left',
} as const;
const MAINTAINED = { type: 'MaintenanceInProgress', status: 'True', message: 'its machine is in maintenance' } as const;
interface Told {
  readonly type: 'DrainInProgress' | 'Drained' | 'MaintenanceInProgress';
  readonly status: 'True' | 'False';
  readonly message: string;
}

/** A drain that is over within so long after the cordon is told of by nothing on its Node, in milliseconds. */
const BRIEF_MS = 4000;

const UNWRITTEN = 'could not write what its drain has come to';

/** How a drain stands after a pass. */
export interface Shown {
  readonly request: Pick<DrainNode, 'ref' | 'purpose' | 'now' | 'cordonedAt'>;
  /** `ending`: nothing stays that has to leave, and some of it is there still. Load balancers leave the Node out from then on. */
  readonly point: 'draining' | 'ending' | DrainEnd;
  /** Whether a write may be begun still: the pass is not over. */
  readonly isInTime: () => boolean;
  /** The same, right before it is sent. */
  readonly isLate: () => boolean;
}

/**
 * Has the Node tell how far its drain is, where it does not yet: by its conditions, and to load balancers. What was asked of pods counts,
 * whether or not this can be written: the next pass tries it again. False: it does not tell it, as that could not be written, or not in
 * time, or need not be where the drain is over so soon.
 */
export async function showOnNode(
  deps: Pick<MachineDeps, 'kube' | 'log'>,
  node: Node,
  { request, point, isInTime, isLate }: Shown,
): Promise<boolean> {
  const { ref, purpose, now, cordonedAt } = request;
  // Most drains are over by then, and the Node goes: that costs no write.
  const isOver = point === 'drained' || point === 'cutShort';
  const isBrief = isOver ? toldOn(node).length === 0 : now < (cordonedAt ?? now) + BRIEF_MS;
  if ((isBrief && purpose !== 'maintenance') || !isInTime()) return false;
  return (await show(deps, node, { ref, purpose, point, now, isInTime, isLate })) === undefined;
}

/**
 * The Node tells how the drain for a deletion ended, however soon that was: it stays for a while. Answers what the API server said against
 * it, where it did.
 */
export async function showEnd(
  deps: Pick<MachineDeps, 'kube' | 'log'>,
  node: Node,
  point: DrainEnd,
  { ref, now, isLate }: Pick<Shown, 'isLate'> & Pick<DrainNode, 'ref' | 'now'>,
): Promise<string | undefined> {
  return show(deps, node, { ref, purpose: 'deletion', point, now, isInTime: () => true, isLate });
}

/** The Node tells why its drain for a deletion rests. Answers as {@link showEnd}. */
export async function showRest(
  { kube, log }: Pick<MachineDeps, 'kube' | 'log'>,
  node: Node,
  message: string,
  { now, isLate }: Pick<Shown, 'isLate'> & Pick<DrainNode, 'now'>,
): Promise<string | undefined> {
  const error = await refusalOf(() => applyConditions(kube, node, [{ ...DRAINING, message }], now, isLate));
  if (error !== undefined) log.warn({ node: node.metadata.name, error }, UNWRITTEN);
  return error;
}

interface Showing extends Pick<Shown, 'point' | 'isInTime' | 'isLate'>, Pick<DrainNode, 'ref' | 'purpose' | 'now'> {}

/** What is refused of it keeps nothing else from being done. */
async function show(
  { kube, log }: Pick<MachineDeps, 'kube' | 'log'>,
  node: Node,
  { ref, purpose, point, now, isInTime, isLate }: Showing,
): Promise<string | undefined> {
  const told = await refusalOf(() => applyConditions(kube, node, whatIsSo(purpose, point), now, isLate));
  // Pods that were left when the time was over may get requests still.
  const isToExclude = point !== 'cutShort' && isInTime();
  const isExcluded = point === 'ending' || point === 'drained';
  const excluded = isToExclude
    ? await refusalOf(() => excludeNode(kube, node, { ref, purpose, isExcluded, isLate }))
    : undefined;
  const error = told ?? excluded;
  if (error !== undefined) log.warn({ node: node.metadata.name, error }, UNWRITTEN);
  return error;
}

async function refusalOf(write: () => Promise<void>): Promise<string | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return error.message;
  }
}

/** Nothing of a drain is told any more. */
export async function clearOnNode(kube: KubeClient, node: Node): Promise<void> {
  await onObject(() => applyConditions(kube, node, [], 0));
}

function whatIsSo(purpose: DrainPurpose, point: Shown['point']): readonly Told[] {
  const own = point === 'drained' ? DRAINED : point === 'cutShort' ? CUT_SHORT : DRAINING;
  return purpose === 'maintenance' ? [own, MAINTAINED] : [own];
}

async function applyConditions(
  kube: KubeClient,
  node: Node,
  wanted: readonly Told[],
  now: number,
  isLate?: () => boolean,
): Promise<void> {
  const { name, uid } = node.metadata;
  const told = toldOn(node);
  const toldBefore = ({ type, status }: Told) => told.find((one) => one.type === type && one.status === status);
  const isTold = (one: Told) => toldBefore(one)?.message === one.message;
  if (told.length === wanted.length && wanted.every(isTold)) return;
  const conditions = wanted.map((one) => {
    const since = toldBefore(one)?.lastTransitionTime ?? new Date(now).toISOString();
    return { ...one, reason: OUR_CONDITION_REASON, lastTransitionTime: since };
  });
  const body = { metadata: { uid }, ...given({ status: conditions.length === 0 ? undefined : { conditions } }) };
  const options = { fieldManager: DRAIN_FIELD_MANAGER, subresource: 'status', isLate } as const;
  await kube.apply(NODES, undefined, name, body, options);
}

function toldOn({ status }: Node) {
  return (status?.conditions ?? []).filter(isOurCondition);
}
