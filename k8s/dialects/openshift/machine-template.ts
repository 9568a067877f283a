import type { MachineSetObject } from '../../api/machine.openshift.io/machine-set.ts';
import type { MachineTemplate } from '../../model/machine-set.ts';
import { specHashOf } from '../../spec-hash.ts';
import { given } from '../../../providers/given.ts';

/** As long as leaves names readable; two templates of one deployment with the same are not to be expected. */
const HASH_LENGTH = 10;

/** The template of a MachineSet or a MachineDeployment; undefined: it cannot be read. */
export function templateOf(stored: MachineSetObject['spec']['template'] | undefined): MachineTemplate {
  return {
    labels: stored?.metadata?.labels ?? {},
    annotations: stored?.metadata?.annotations ?? {},
    ...given({ machineClass: stored?.spec?.providerSpec?.valueFrom?.machineClass?.name }),
    spec: { ...stored?.spec },
  };
}

/** Of all that a template says: what differs in anything is another one. */
export function templateHashOf({ labels, annotations, spec }: MachineTemplate): string {
  return specHashOf({ labels, annotations, spec }).slice(0, HASH_LENGTH);
}
