import { CLOUD_NOT_ANSWERING } from '../../providers/provider-error.ts';
import type { Cause, ConditionReason, WaitReason } from '../../k8s/model/reasons/reasons.ts';
import type { InstanceState } from '../../providers/provider.ts';
import type { InstanceLook } from './instance-activities.ts';
import { wasProvedGone } from './instance-facts.ts';
import type { CloudFailure } from './launch-record.ts';
import type { Pass } from './pass.ts';

/**
 * What a look of a deletion told of the instance, as its conditions say it. That it is gone, its conditions say when looks have proved it:
 * {@link tellGone}.
 */
export function tellLook(pass: Pass, id: string, look: InstanceLook): void {
  switch (look.outcome) {
    case 'found':
      return tellState(pass, id, look.instance.state);
    case 'absent':
      return tellDoubt(pass, { reason: 'InstanceMissing' }, describeAbsence(id));
    case 'untrusted':
      return tellDoubt(pass, { reason: 'ManyInstancesMissing' }, look.message);
    case 'foreign':
      return tellDoubt(pass, { reason: 'InstanceOfAnother' }, look.message);
    case 'failed':
      if (isNoNews(look.failure)) return;
      return tellDoubt(pass, causeOfLook(look.failure), look.failure.message);
  }
}

/** The cloud says that the instance is in this state. */
export function tellState(pass: Pass, id: string, state: InstanceState): void {
  if (state === 'terminated') return tellGone(pass, id, `the cloud reports it as ${state}`);
  const message = describeState(id, state);
  pass.setCondition({ type: 'InstanceExists', status: 'True', reason: 'InstanceExists', message });
}

export function describeState(id: string, state: InstanceState): string {
  return `the cloud reports instance ${id} as ${state}`;
}

export function describeAbsence(id: string): string {
  return `the cloud does not know instance ${id}; it counts as gone when further looks agree`;
}

/**
 * The instance of a machine that is to go is gone. What was proved before stays told as it is: it may tell more.
 *
 * @param how it is known
 */
export function tellGone(pass: Pass, id: string, how: string): void {
  if (wasProvedGone(pass.status)) return;
  const message = `instance ${id} is gone: ${how}`;
  pass.setCondition({ type: 'InstanceExists', status: 'False', reason: 'InstanceMissing', message });
  tellNodeGone(pass, id, 'InstanceMissing');
}

/** What becomes of its Node with the instance. */
export function tellNodeGone(pass: Pass, id: string, reason: 'InstanceMissing' | 'InstanceTakenBack'): void {
  if (pass.status.nodeRef === undefined) return;
  const message = `instance ${id} is gone, and its Node with it`;
  pass.setCondition({ type: 'NodeReady', status: 'Unknown', reason, message });
}

/** The end of the instance is asked for: from then on nothing looks at its Node. */
export function tellNodeLeft(pass: Pass, id: string): void {
  if (pass.status.nodeRef === undefined || pass.hasFailed) return;
  const message = `instance ${id} ends, and its Node is looked at no more`;
  pass.setCondition({ type: 'NodeReady', status: 'Unknown', reason: 'InstanceTerminating', message });
}

function tellDoubt(pass: Pass, cause: LookCause, message: string): void {
  if (wasProvedGone(pass.status)) return;
  pass.setCondition({ type: 'InstanceExists', status: 'Unknown', ...cause, message });
}

export type LookCause = Cause<WaitReason & ConditionReason>;

/** A call that waits for its turn leaves nothing open of what became of the instance; a cloud that hangs does. */
export function isNoNews({ notSent, cloudCode }: CloudFailure): boolean {
  return notSent === true && cloudCode !== CLOUD_NOT_ANSWERING;
}

/** Two failures of a look are a reason of their own to wait; what any other means its class tells. */
export function causeOfLook({ cloudCode, retryClass }: CloudFailure): LookCause {
  if (cloudCode === CLOUD_NOT_ANSWERING || cloudCode === 'AccountChanged') return { reason: cloudCode };
  return { reason: 'ErrorCheckingProvider', retryClass };
}
