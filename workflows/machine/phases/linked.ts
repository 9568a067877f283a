import { conditionOf } from '../../../k8s/model/condition.ts';
import { DONE, type Answer } from '../answer.ts';
import { recordRole } from '../control-plane-role.ts';
import { joinNode } from '../join-node.ts';
import type { NodeSighting } from '../node-activities.ts';
import type { Pass } from '../pass.ts';
import { tellNodeMissing, tellReadiness } from '../tell-readiness.ts';
import { writePass } from '../write-pass.ts';

/** Links the machine with its Node, where there is one, and follows the Node's readiness. */
export async function linked(pass: Pass): Promise<Answer> {
  const { seen, sighting } = pass;
  if (seen.node?.inSync === true) return follow(pass, seen.node);
  if (sighting?.isNew === true) {
    if (sighting.isJustMade === true) return DONE;
    // Its Node may have joined before it was known whose the instance is: who was woken then could not see it. It is looked for by
    // the instance on record, which this one is not yet.
    pass.wait(undefined);
    await writePass(pass);
  }
  const answer = await joinNode(pass);
  if (answer.outcome === 'joined') return follow(pass, answer.node);
  pass.nodeAnswer = answer;
  tellNodeMissing(pass);
  const { nodeOfAnother } = seen;
  if (nodeOfAnother !== undefined)
    tellProviderID(pass, { name: pass.status.nodeRef?.name ?? '', otherProviderID: nodeOfAnother });
  return DONE;
}

function follow(pass: Pass, node: NodeSighting): Answer {
  if (pass.status.nodeRef?.uid !== node.uid) {
    pass.tell({ type: 'Normal', reason: 'SuccessfulSetNodeRef', message: `Node ${node.name} is the machine's` });
  }
  pass.set({ phase: 'Running', nodeRef: { name: node.name, uid: node.uid } });
  recordRole(pass, node);
  tellReadiness(pass, node);
  tellProviderID(pass, node);
  return DONE;
}

/** It is the machine's by its address or our mark: others, who compare the ids, take it for a stranger's. */
function tellProviderID(pass: Pass, { name, otherProviderID }: Pick<NodeSighting, 'name' | 'otherProviderID'>): void {
  const type = 'ProviderIDsEqual';
  if (otherProviderID === undefined) {
    pass.clearCondition(type);
    return;
  }
  const told = otherProviderID === '' ? 'has none' : `says ${otherProviderID}`;
  const message = `its providerID is ${pass.providerID ?? ''}, and Node ${name} ${told}: cluster-autoscaler does not know the Node for this machine's, and takes the machine away`;
  const isKnown = conditionOf(pass.status.conditions, type) !== undefined;
  if (!isKnown) pass.tell({ type: 'Warning', reason: 'ProviderIDsDiffer', message });
  pass.setCondition({ type, status: 'False', reason: 'ProviderIDsDiffer', message });
}
