import { DONE, waitMeanwhile, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

const STEP = 'JoinCluster';

/**
 * The machine has its Node. One that does not join in time makes the machine Failed; the instance is kept, to be looked into,
 * and whoever owns the machine decides what becomes of it.
 */
export function joined(pass: Pass): Answer {
  const { memory, status, providerID, nodeAnswer: answer } = pass;
  const { launch, nodeRef, instance } = status;
  if (answer === undefined && nodeRef !== undefined) return DONE;
  // The machine keeps its link, in case the kubelet registers again.
  if (nodeRef !== undefined) {
    const { message = '' } = status.conditions.find(({ type }) => type === 'NodeReady') ?? {};
    return waitMeanwhile({ step: STEP, reason: 'NodeMissing', message });
  }
  memory.joinBy ??= (launch === undefined ? pass.nowMs : Date.parse(launch.preparedAt)) + pass.creationTimeoutMs;
  const isAmbiguous = answer?.outcome === 'ambiguous';
  const blocked = isAmbiguous ? `: ${answer.message}` : '';
  if (pass.nowMs >= memory.joinBy) {
    const message = `no Node joined within ${pass.creationTimeoutMs / 1000} s of the launch of instance ${instance?.id ?? ''}${blocked}. The instance is kept; delete the Machine to terminate it.`;
    return { outcome: 'failed', reason: 'JoinClusterTimeoutError', message };
  }
  return waitMeanwhile({
    step: STEP,
    reason: isAmbiguous ? 'NodeAmbiguous' : 'NodeNotJoined',
    message: `instance ${instance?.id ?? ''} was created; its Node ${providerID ?? ''} has not joined yet${blocked}`,
    until: memory.joinBy,
  });
}
