import type { Taint } from '../../model/machine.ts';
import type { RolloutMark } from '../../model/rollout-mark.ts';
import { OUTDATED_TAINT } from './labels.ts';

/** cluster-autoscaler takes no Node away that has it. */
const SCALE_DOWN_DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';

/** Pods that have to move go to Nodes that stay, where there is room: so they move once. */
const OUTDATED: Taint = { key: OUTDATED_TAINT, effect: 'PreferNoSchedule' };

/** What a machine's Node has for where the machine is in a rollout. */
export function nodeMarksOf(mark: RolloutMark | undefined): {
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
} {
  if (mark === undefined) return { annotations: {}, taints: [] };
  return { annotations: { [SCALE_DOWN_DISABLED]: 'true' }, taints: mark === 'outdated' ? [OUTDATED] : [] };
}
