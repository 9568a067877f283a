import { describeGates } from '../../k8s/model/usable-node.ts';
import type { NodeSighting } from './node-activities.ts';
import type { Pass } from './pass.ts';

/** Tells how the machine's Node is, and whether pods can be put on it. */
export function tellReadiness(pass: Pass, node: NodeSighting): void {
  const ready = node.ready === 'True';
  pass.setCondition(
    {
      type: 'NodeReady',
      status: node.ready,
      reason: ready ? 'NodeReady' : 'NodeNotReady',
      message: ready ? `Node ${node.name} is Ready` : `Node ${node.name} is not Ready: ${node.readyMessage}`,
    },
    node.readySince,
  );
  tellUse(pass, node);
}

/** The same of a machine that is to go, as far as its Node is looked at still. Of one that has failed it is told already. */
export function followNode(pass: Pass): void {
  const { node } = pass.seen;
  if (pass.hasFailed || pass.memory.isEndAskedFor === true) return;
  if (node === undefined) tellNodeMissing(pass);
  else tellReadiness(pass, node);
}

/** Tells that the Node on record is gone, or is another instance's. */
export function tellNodeMissing(pass: Pass): void {
  const { nodeRef } = pass.status;
  if (nodeRef === undefined) return;
  const { machine, nodeOfAnother } = pass.seen;
  const isToGo = machine.deletedAt !== undefined;
  const later = '; while the machine lives it is linked again when a Node with its providerID registers';
  const what =
    nodeOfAnother === undefined ? 'was deleted' : `is another instance's, as its providerID ${nodeOfAnother} says`;
  const message = `Node ${nodeRef.name} ${what}${isToGo ? '' : later}`;
  pass.setCondition({ type: 'NodeReady', status: 'Unknown', reason: 'NodeMissing', message });
  pass.clearCondition('Usable');
}

/** What keeps it from being available beside a Node that is not Ready. */
function tellUse(pass: Pass, { unusable }: NodeSighting): void {
  const { openGates } = pass.seen.machine;
  const gates = openGates && { reason: 'ReadinessGates' as const, message: describeGates(openGates) };
  const why = unusable ?? gates;
  if (why === undefined) pass.clearCondition('Usable');
  else pass.setCondition({ type: 'Usable', status: 'False', ...why });
}
