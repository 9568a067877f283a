import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import { SIMULATED } from './a-machine.ts';
import { metadataOf } from './metadata.ts';
import { given } from '../../../providers/given.ts';

export interface MachineSetFacts {
  readonly name?: string;
  readonly namespace?: string;
  readonly cluster?: string;
  /** @default 3 */
  readonly replicas?: number;
  readonly status?: NonNullable<MachineSetObject['status']>;
  /** Laid over the metadata. */
  readonly metadata?: Partial<ObjectMeta>;
  /** Laid over the spec. */
  readonly spec?: Partial<MachineSetObject['spec']>;
}

/** A MachineSet that selects its Machines by the label `set`, which is its name. */
export function aMachineSet(facts: MachineSetFacts = {}): MachineSetObject {
  const { name = 'workers', namespace, cluster = 'c1', replicas = 3, status, metadata, spec } = facts;
  const labels = { set: name };
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'MachineSet',
    metadata: metadataOf(name, { ...given({ namespace }), ...metadata }),
    spec: {
      replicas,
      minReadySeconds: 0,
      deletePolicy: 'Random',
      replaceAfter: 'Deleted',
      selector: { matchLabels: labels },
      template: {
        metadata: { labels: { ...labels, [CLUSTER_LABEL]: cluster } },
        spec: { providerSpec: { value: SIMULATED } },
      },
      ...spec,
    },
    ...given({ status }),
  };
}
