import { conditionOf } from '../../../k8s/model/condition.ts';
import { DONE, waitMeanwhile, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

/** What the condition Usable may tell. */
const REASONS = ['StartupTaints', 'ResourcesMissing', 'ReadinessGates'] as const;

/** Waits, while all else goes on, until pods can be put on the machine's Node: what keeps them from it others take away. */
export function usable({ status }: Pass): Answer {
  const { reason, message = '' } = conditionOf(status.conditions, 'Usable') ?? {};
  const known = REASONS.find((one) => one === reason);
  return known === undefined ? DONE : waitMeanwhile({ step: 'BecomeUsable', reason: known, message });
}
