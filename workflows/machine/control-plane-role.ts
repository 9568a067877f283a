import { joinNode } from './join-node.ts';
import type { NodeSighting } from './node-activities.ts';
import type { Pass } from './pass.ts';

/**
 * Records whether the machine of this Node is of a control plane. What was recorded stays: a Node that is registered anew does not bear the
 * label until somebody puts it there again, and when the machine goes, its Node may be gone.
 *
 * @param node undefined: the machine alone tells
 */
export function recordRole(pass: Pass, node: NodeSighting | undefined): void {
  const isOne = node?.isControlPlane === true || pass.seen.machine.isControlPlane === true;
  if (isOne) pass.status = { ...pass.status, isControlPlane: true };
}

/** The same for a machine that goes, which may be seen for the first time. */
export function recordRoleOfGoing(pass: Pass): void {
  if (pass.status.nodeRef !== undefined) recordRole(pass, pass.seen.node);
}

/** Looks for the Node of a machine that goes and has none, or another, on record: it may have joined since the last look. One look a pass. */
export async function findLateNode(pass: Pass): Promise<void> {
  const { instance, nodeRef, isControlPlane } = pass.status;
  // One that was registered anew has the name of the one on record, and is not that one.
  const isKnown = nodeRef !== undefined && (pass.seen.node !== undefined || isControlPlane === true);
  if (isKnown || instance === undefined || pass.nodeAnswer !== undefined) return;
  const answer = await joinNode(pass);
  if (answer.outcome === 'joined') {
    const { name, uid } = answer.node;
    pass.set({ nodeRef: { name, uid } });
    recordRole(pass, answer.node);
    return;
  }
  pass.nodeAnswer = answer;
  // It may be any of several.
  if (answer.outcome === 'ambiguous') recordRole(pass, undefined);
}
