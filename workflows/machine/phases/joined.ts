import { conditionOf } from '../../../k8s/model/condition.ts';
import { DONE, waitMeanwhile, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

const STEP = 'JoinCluster';

/**
 * Waits for the machine's Node. If none joins in time, the machine is Failed. Its instance stays, so that somebody can find out
 * why; the machine's owner decides what becomes of it. The wait comes after what a look at the instance says, which counts more.
 */
export function joined(pass: Pass): Answer {
  const { memory, status, providerID, nodeAnswer: answer } = pass;
  const { nodeRef, instance } = status;
  if (answer === undefined && nodeRef !== undefined) return DONE;
  // The machine keeps its link, in case the kubelet registers again.
  if (nodeRef !== undefined) {
    const { message = '' } = conditionOf(status.conditions, 'NodeReady') ?? {};
    return waitMeanwhile({ step: STEP, reason: 'NodeMissing', message });
  }
  const { joined: slot } = memory;
  slot.by ??= joinFrom(pass) + pass.creationTimeoutMs;
  const isAmbiguous = answer?.outcome === 'ambiguous';
  const blocked = isAmbiguous ? `: ${answer.message}` : '';
  if (pass.nowMs >= slot.by) {
    const message = `no Node joined within ${pass.creationTimeoutMs / 1000} s of the launch of instance ${instance?.id ?? ''}${blocked}. The instance is kept; delete the Machine to terminate it.`;
    return { outcome: 'failed', reason: 'JoinClusterTimeoutError', message };
  }
  return waitMeanwhile({
    step: STEP,
    reason: isAmbiguous ? 'NodeAmbiguous' : 'NodeNotJoined',
    message: `instance ${instance?.id ?? ''} was created; its Node ${providerID ?? ''} has not joined yet${blocked}`,
    until: slot.by,
  });
}

/** From when on the Node may take so long, as far as this run knows of it. */
function joinFrom({ memory, status: { launch }, nowMs }: Pass): number {
  return Math.min(memory.joinFrom ?? (launch === undefined ? nowMs : Date.parse(launch.preparedAt)), nowMs);
}
