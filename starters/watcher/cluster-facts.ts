import type { ClusterObject } from '../../k8s/api/cluster.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/labels.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { CLUSTERS } from '../../k8s/resources.ts';

/** What the watcher keeps of a Cluster. */
export interface ClusterFacts {
  readonly ref: ObjectRef;
  readonly generation: number;
  readonly isPaused: boolean;
}

/** Reads a Cluster, also one that no schema has checked. */
export function clusterFacts({ metadata, spec }: ClusterObject): ClusterFacts {
  const { namespace, name, uid, generation } = metadata;
  return {
    ref: { apiVersion: CLUSTERS.apiVersion, kind: CLUSTERS.kind, namespace, name, uid },
    generation,
    isPaused: spec?.paused === true || metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
  };
}
