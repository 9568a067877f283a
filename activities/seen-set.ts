import type { MachineSetReading } from '../k8s/model/reading.ts';
import { given } from '../providers/given.ts';
import type { SeenSet } from '../workflows/machine-deployment/see-rollout.ts';

/** A set as the plan of its deployment goes by it. */
export function seenSetOf({ machineSet: set, status, meta }: MachineSetReading): SeenSet {
  const { resourceVersion, createdAt, controller } = meta;
  return { set, status, resourceVersion, createdAt, ...given({ controller: controller?.uid }) };
}
