import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import { metadataOf } from './metadata.ts';

export type MachineHealthCheckSpec = MachineHealthCheckObject['spec'];

/** A check of the Machines of the set `workers`, which says nothing else: also without what its schema would add. */
export function aMachineHealthCheck(
  name = 'check',
  spec: Partial<MachineHealthCheckSpec> = {},
): MachineHealthCheckObject {
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'MachineHealthCheck',
    metadata: metadataOf(name, {}),
    spec: { selector: { matchLabels: { set: 'workers' } }, ...spec } as MachineHealthCheckSpec,
  };
}
