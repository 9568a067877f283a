import type { KubeClient } from '../../k8s/client.ts';
import type { DrainPurpose } from '../../k8s/model/drain.ts';
import { DRAIN_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import {
  DRAINED_FOR_ANNOTATION,
  drainedFor,
  DRAINING,
  EXCLUDED_ANNOTATION,
  EXCLUDED_LABEL,
  type Node,
} from '../../k8s/model/node.ts';
import type { DrainNode } from '../../workflows/machine/drain-activities.ts';
import { NODES } from '../../k8s/resources.ts';
import { onObject } from '../failures.ts';
import { putTaint, takeOffTaint, type OwnTaint } from './taint-node.ts';

const OURS = { fieldManager: DRAIN_FIELD_MANAGER } as const;

const PURPOSES: readonly DrainPurpose[] = ['deletion', 'maintenance', 'reboot'];

const DRAINING_TAINT: OwnTaint = { taint: DRAINING };

/**
 * Closes the Node: a scheduler that sees it so binds no pod to it that would have to leave. `isNew`: nobody knew it to be closed before.
 *
 * @param isLate asked right before it is written
 */
export async function closeNode(
  kube: KubeClient,
  node: Node,
  { cordonedAt, ref, purpose, stage }: DrainNode,
  isLate: () => boolean,
): Promise<{ readonly node: Node; readonly isNew: boolean }> {
  const isCordoned = node.spec?.unschedulable === true && cordonedAt !== undefined;
  const isClosed = isCordoned || isClosedFor(node, ref, purpose);
  // What was left out for another purpose stays so: no pod has come to it since.
  const isExcluded = node.spec?.unschedulable === true && isExcludedByUs(node);
  const cordoned = isClosed ? node : await cordon(kube, node, { ref, purpose, isExcluded, isLate });
  if (stage === 'daemonSets') {
    const tainted = await putTaint(kube, cordoned, DRAINING_TAINT, '');
    return { node: tainted, isNew: tainted !== node };
  }
  // The taint is left from a deletion that was aborted for a maintenance.
  const free = purpose !== 'deletion' ? await takeOffTaint(kube, cordoned, DRAINING_TAINT) : cordoned;
  return { node: free, isNew: !isCordoned };
}

/** Closes a Node again, as it was, that says that it was closed for this Machine, and has it say that this is for its deletion. */
export async function closeAgain(
  kube: KubeClient,
  node: Node,
  { ref, isLate }: Pick<Cordon, 'ref' | 'isLate'>,
): Promise<Node> {
  const purpose = 'deletion';
  if (isClosedFor(node, ref, purpose) || !PURPOSES.some((one) => isHeldBy(node, ref, one))) return node;
  return cordon(kube, node, { ref, purpose, isExcluded: isExcludedByUs(node), isLate });
}

/** A pass whose answer was not heard has cordoned it. */
function isClosedFor(node: Node, ref: DrainNode['ref'], purpose: DrainNode['purpose']): boolean {
  return node.spec?.unschedulable === true && isHeldBy(node, ref, purpose);
}

function isHeldBy({ metadata }: Node, ref: DrainNode['ref'], purpose: DrainNode['purpose']): boolean {
  return metadata.annotations?.[DRAINED_FOR_ANNOTATION] === drainedFor(ref, purpose);
}

function isExcludedByUs({ metadata }: Node): boolean {
  return EXCLUDED_ANNOTATION in (metadata.annotations ?? {});
}

/**
 * Has load balancers leave the Node out from when all that is left on it ends, and only then: a pod that is Ready and stays would lose its
 * requests.
 *
 * @param isExcluded nothing on the Node stays that has to leave
 */
export async function excludeNode(kube: KubeClient, node: Node, cordoned: Required<Cordon>): Promise<void> {
  if (isExcludedByUs(node) !== cordoned.isExcluded) await cordon(kube, node, cordoned);
}

interface Cordon extends Pick<DrainNode, 'ref' | 'purpose'> {
  /** Load balancers leave the Node out. @default false */
  readonly isExcluded?: boolean;
  /** Asked right before it is written. */
  readonly isLate: () => boolean;
}

/** From its answer on, a scheduler that sees the Node as it is binds no pod to it. */
function cordon(
  kube: KubeClient,
  { metadata: { name, uid, labels: present = {} } }: Node,
  { ref, purpose, isExcluded = false, isLate }: Cordon,
): Promise<Node> {
  const why = { [DRAINED_FOR_ANNOTATION]: drainedFor(ref, purpose) };
  const annotations = isExcluded ? { ...why, [EXCLUDED_ANNOTATION]: '' } : why;
  // Another value would take the label from whoever put it there: then it would go with ours.
  const labels = isExcluded ? { labels: { [EXCLUDED_LABEL]: present[EXCLUDED_LABEL] ?? '' } } : {};
  const body = { metadata: { uid, ...labels, annotations }, spec: { unschedulable: true } };
  return onObject(() => kube.apply<Node>(NODES, undefined, name, body, { ...OURS, isLate }));
}

/**
 * Takes back what {@link closeNode} and {@link excludeNode} wrote. The API server keeps who wrote a field: where somebody else had cordoned the Node as well,
 * the Node stays cordoned.
 */
export async function uncordon(kube: KubeClient, node: Node): Promise<Node> {
  const { name, uid } = node.metadata;
  // The annotation goes last: it tells that there is something of ours to take back.
  await takeOffTaint(kube, node, DRAINING_TAINT);
  return onObject(() => kube.apply<Node>(NODES, undefined, name, { metadata: { uid } }, OURS));
}
