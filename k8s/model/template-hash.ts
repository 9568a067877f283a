import type { MachineDeployment } from './machine-deployment.ts';
import type { MachineSet } from './machine-set.ts';

/**
 * The hash of a deployment's template, as its set of that template has it. An earlier release may have made the set, and have come to another hash:
 * for what is only read otherwise today no Machine is replaced.
 *
 * @param sets of the deployment
 */
export function templateHashAmong(
  sets: readonly MachineSet[],
  { templateHash }: Pick<MachineDeployment, 'templateHash'>,
): string {
  if (sets.some((set) => set.templateHash === templateHash)) return templateHash;
  return sets.find((set) => set.templateHashNow === templateHash)?.templateHash ?? templateHash;
}
