import { joinNode } from './join-node.ts';
import type { NodeSighting } from './node-activities.ts';
import type { Pass } from './pass.ts';

/** Records, of a machine with this Node, whether it is of a control plane: when the machine goes, its Node may be gone or its label taken off. */
export function recordRole(pass: Pass, node: NodeSighting): void {
  const { isControlPlane: _before, ...status } = pass.status;
  pass.status = status;
  addRole(pass, node);
}

/** The same for a machine that goes, which may be seen for the first time: what was recorded before stays. */
export function recordRoleOfGoing(pass: Pass): void {
  if (pass.status.nodeRef !== undefined) addRole(pass, pass.seen.node);
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
    addRole(pass, answer.node);
    return;
  }
  pass.nodeAnswer = answer;
  // It may be any of several.
  if (answer.outcome === 'ambiguous') addRole(pass);
}

function addRole(pass: Pass, node?: NodeSighting): void {
  const isOne = node?.isControlPlane === true || pass.seen.machine.isControlPlane === true;
  if (isOne) pass.status = { ...pass.status, isControlPlane: true };
}
