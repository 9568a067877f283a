import type { ClusterObject } from '../../../k8s/api/machine.openshift.io/cluster.ts';
import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import { metadataOf } from './metadata.ts';
import { given } from '../../../providers/given.ts';

export interface ClusterFacts {
  readonly name?: string;
  readonly paused?: boolean;
  readonly defaults?: NonNullable<ClusterObject['spec']>['defaults'];
  /** As in its spec. */
  readonly controlPlane?: NonNullable<ClusterObject['spec']>['controlPlane'];
  /** Laid over the metadata. */
  readonly metadata?: Partial<ObjectMeta>;
}

export function aCluster({ name = 'c1', paused, defaults, controlPlane, metadata }: ClusterFacts = {}): ClusterObject {
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Cluster',
    metadata: metadataOf(name, { ...metadata }),
    spec: { ...given({ paused, defaults, controlPlane }) },
  };
}
