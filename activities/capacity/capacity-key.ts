import { CAPACITY_PREFIX } from '../../k8s/model/capacity-annotations.ts';
import type { MachineDeployment } from '../../k8s/model/machine-deployment.ts';
import type { MachineSet } from '../../k8s/model/machine-set.ts';
import type { Meta } from '../../k8s/model/reading.ts';
import { specHashOf } from '../../k8s/spec-hash.ts';

/** What a group's capacity is told by, as text; undefined: cluster-autoscaler scales it not, or its deployment. */
export function capacityKeyOf(
  { annotations }: Pick<Meta, 'annotations'>,
  group: Pick<MachineSet, 'autoscaledFrom' | 'template' | 'deployment'> | MachineDeployment,
): string | undefined {
  if (group.autoscaledFrom === undefined || ('deployment' in group && group.deployment !== undefined)) return undefined;
  const told = Object.entries(annotations).filter(([key]) => key.startsWith(CAPACITY_PREFIX));
  return specHashOf({ template: group.template, told: Object.fromEntries(told) });
}
