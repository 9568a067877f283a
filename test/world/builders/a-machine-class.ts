import type { MachineClassObject } from '../../../k8s/api/machine.openshift.io/machine-class.ts';
import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import { metadataOf } from './metadata.ts';

export interface MachineClassFacts extends Partial<Omit<MachineClassObject, 'apiVersion' | 'kind' | 'metadata'>> {
  readonly name?: string;
  /** Laid over the metadata. */
  readonly metadata?: Partial<ObjectMeta>;
}

export function aMachineClass({ name = 'medium', metadata, ...written }: MachineClassFacts = {}): MachineClassObject {
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'MachineClass',
    metadata: metadataOf(name, { ...metadata }),
    provider: 'simulated',
    providerSpec: { instanceType: 'sim.medium' },
    ...written,
  };
}
