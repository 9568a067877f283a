import { INSTANCE_TYPE_LABEL, REGION_LABEL, ZONE_LABEL } from '../k8s/model/labels.ts';
import type { Instance } from '../providers/provider.ts';

/** Labels that tell where a Machine's instance runs and of which type it is. What its cloud does not have gets no label. */
export function placementLabels({ region, zone, instanceType }: Instance): Readonly<Record<string, string>> {
  return {
    ...(region ? { [REGION_LABEL]: region } : {}),
    ...(zone ? { [ZONE_LABEL]: zone } : {}),
    ...(instanceType ? { [INSTANCE_TYPE_LABEL]: instanceType } : {}),
  };
}
