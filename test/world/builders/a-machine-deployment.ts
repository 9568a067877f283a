import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import { SIMULATED } from './a-machine.ts';
import { metadataOf } from './metadata.ts';

export interface MachineDeploymentFacts {
  /** @default workers */
  readonly name?: string;
  /** Laid over the metadata. */
  readonly metadata?: Partial<ObjectMeta>;
  /** Laid over the spec. */
  readonly spec?: Partial<MachineDeploymentObject['spec']>;
}

/** A MachineDeployment of three machines that selects its sets by the label `pool`, which is its name. */
export function aMachineDeployment(facts: MachineDeploymentFacts = {}): MachineDeploymentObject {
  const { name = 'workers', metadata, spec } = facts;
  const labels = { pool: name };
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'MachineDeployment',
    metadata: metadataOf(name, { ...metadata }),
    spec: {
      replicas: 3,
      minReadySeconds: 0,
      paused: false,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 1200,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { onFailure: 'Pause', failureThreshold: 1, maxSurge: 1, maxUnavailable: 0 },
      },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels: { ...labels, [CLUSTER_LABEL]: 'c1' } },
        spec: { providerSpec: { value: SIMULATED } },
      },
      ...spec,
    },
  };
}
