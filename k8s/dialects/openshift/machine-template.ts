import type { MachineSetObject } from '../../api/machine.openshift.io/machine-set.ts';
import type { MachineTemplate } from '../../model/machine-set.ts';
import { specHashOf } from '../../spec-hash.ts';
import { TEMPLATE_HASH_LABEL } from './labels.ts';
import { rolledPartOf, settingsOf } from './template-settings.ts';
import { given } from '../../../providers/given.ts';

/** As long as leaves names readable; two templates of one deployment with the same are not to be expected. */
const HASH_LENGTH = 10;

/** The template of a MachineSet or a MachineDeployment; undefined: it cannot be read. */
export function templateOf(stored: MachineSetObject['spec']['template'] | undefined): MachineTemplate {
  return {
    labels: stored?.metadata?.labels ?? {},
    annotations: stored?.metadata?.annotations ?? {},
    ...given({
      machineClass: stored?.spec?.providerSpec?.valueFrom?.machineClass?.name,
      providerSpec: stored?.spec?.providerSpec?.value,
    }),
    spec: { ...stored?.spec },
    settings: settingsOf(stored?.spec),
  };
}

/** Of what makes other machines: what differs in that is another template. The label of a hash, which a deployment's set has in its own, is no part of it. */
export function templateHashOf({ labels, annotations, spec }: MachineTemplate): string {
  const { [TEMPLATE_HASH_LABEL]: _hash, ...own } = labels;
  return specHashOf({ labels: own, annotations, spec: rolledPartOf(spec) }).slice(0, HASH_LENGTH);
}
