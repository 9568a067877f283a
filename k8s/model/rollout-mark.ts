/** Where a machine is in a rollout that is under way: of an earlier template, or of any. */
export type RolloutMark = 'outdated' | 'rolling';

/** On a MachineSet of a deployment and on its Machines, while a rollout is under way: the {@link RolloutMark}. */
export const ROLLOUT_ANNOTATION = 'millwright.dev/rollout';

export function readRolloutMark(text: string | undefined): RolloutMark | undefined {
  return text === 'outdated' || text === 'rolling' ? text : undefined;
}
