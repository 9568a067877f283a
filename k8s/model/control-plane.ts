import { wordsForDeletion } from './cause.ts';
import type { Machine } from './machine.ts';
import { INSTANCE_UNKNOWN_ANNOTATION, readinessOf, type Node } from './node.ts';

/** On a Node of a control plane, with any value; the second is the older one. */
const NODE_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** On a Machine of a control plane: it goes at once, whatever becomes of the others. Its value is the time, and then who wanted that. */
export const OUT_OF_TURN_ANNOTATION = 'millwright.dev/out-of-turn';

/** On the Lease: the greatest size of the control plane that was seen, an odd number. */
export const SIZE_ANNOTATION = 'millwright.dev/control-plane-size';

/** On the Lease: the uid of the Machine that goes next, since its Node is drained already. Empty: whoever asks first. */
export const NEXT_ANNOTATION = 'millwright.dev/control-plane-next';

/** Least number of other Nodes that stay Ready: fewer make no quorum of three. */
const LEAST_READY = 2;

export function isControlPlaneNode({ metadata: { labels = {} } }: Pick<Node, 'metadata'>): boolean {
  return NODE_LABELS.some((label) => label in labels);
}

/** Who wanted it to go without its turn, in the deletion that is under way; undefined: nobody, or it stays. */
export function outOfTurnOf(machine: Machine): string | undefined {
  return machine.outOfTurn === undefined ? undefined : wordsForDeletion(machine, machine.outOfTurn);
}

/** The size of a control plane of which so many Nodes were seen together: while one is replaced there is one more. */
export function sizeOf(nodes: number): number {
  return nodes % 2 === 0 ? Math.max(0, nodes - 1) : nodes;
}

/** How the other Nodes of a control plane are. */
export interface ControlPlane {
  readonly size: number;
  /** But for the one that is to go. */
  readonly others: readonly Node[];
  /** Names of those that are about to go as well. */
  readonly going: ReadonlySet<string>;
  /** The Machine whose turn was the last, as messages name it, where it is another one. */
  readonly last?: string;
}

/**
 * Why one of a control plane may not go now; undefined: it may. At least two, and all but one, of the others have to be Ready.
 *
 * @param sizeBy what says the size, for the message, e.g. `as Cluster default/example says`
 */
export function whyNotNow({ size, others, going, last }: ControlPlane, sizeBy: string): string | undefined {
  const trouble = others.flatMap((node) => troubleOf(node, going));
  const ready = others.length - trouble.length;
  const least = Math.max(LEAST_READY, size - 1);
  if (ready >= least) return undefined;
  const present = trouble.length === 0 ? '' : `; ${trouble.join(', ')}`;
  const missing = least - others.length;
  // Where more are missing, it is not only for that one.
  const replaced = missing === 1 ? ': its replacement has to be Ready first' : '';
  const before = last === undefined ? '' : ` (the last turn was that of ${last}${replaced})`;
  const absent = missing > 0 ? `; ${missing} ${missing === 1 ? 'is' : 'are'} not there${before}` : '';
  const counted = size - 1 > LEAST_READY ? ` (its size is ${size}, ${sizeBy})` : '';
  return `${ready} of the control plane's other Nodes ${ready === 1 ? 'is' : 'are'} Ready, and ${least} have to be${counted}${present}${absent}`;
}

/** It counts as one that the others of its control plane can lean on. */
export function isToLeanOn(node: Node, going: ReadonlySet<string>): boolean {
  return troubleOf(node, going).length === 0;
}

function troubleOf(node: Node, going: ReadonlySet<string>): string[] {
  const { name, deletionTimestamp, annotations = {} } = node.metadata;
  if (INSTANCE_UNKNOWN_ANNOTATION in annotations) {
    // Its instance is asked to end as soon as the cloud answers, without a turn.
    return [`Node ${name} is about to go, since a forced deletion left it (annotation ${INSTANCE_UNKNOWN_ANNOTATION})`];
  }
  if (deletionTimestamp !== undefined || going.has(name)) return [`Node ${name} is about to go`];
  return readinessOf(node)?.status === 'True' ? [] : [`Node ${name} is not Ready`];
}
