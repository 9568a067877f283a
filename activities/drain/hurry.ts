import { SHORT_NOTICE_MS } from '../../k8s/model/drain.ts';
import { given } from '../../providers/given.ts';
import type { DrainNode, ForceTimes } from '../../workflows/machine/drain-activities.ts';
import { isToStay, type PodChoice } from './choose-pods.ts';

/**
 * When the pods of a pass are deleted that cannot be evicted. Where the drain is to be over soon, it takes as long as the pod with the
 * longest grace period may take to end, but for a minute at most.
 */
export function forceTimesOf(
  { force, hurry }: Pick<DrainNode, 'force' | 'hurry'>,
  choices: readonly PodChoice[],
): { readonly force?: ForceTimes; readonly hurriedUntil?: number } {
  if (hurry === undefined) return given({ force });
  const { at, until = at + Math.min(longestGraceMs(choices), SHORT_NOTICE_MS) } = hurry;
  const isEarlier = force !== undefined && force.deadline <= until;
  return { force: isEarlier ? force : { from: at, deadline: until }, hurriedUntil: until };
}

function longestGraceMs(choices: readonly PodChoice[]): number {
  return Math.max(0, ...choices.filter(({ part }) => !isToStay(part)).map(({ pod }) => pod.graceMs));
}
