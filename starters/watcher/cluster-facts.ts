import type { ClusterObject } from '../../k8s/api/cluster.ts';
import { definitionOf } from '../../k8s/dialects/openshift/definition.ts';
import { createWellFormedCheck } from '../../k8s/dialects/well-formed.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/labels.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { CLUSTERS } from '../../k8s/resources.ts';

/** What the watcher keeps of a Cluster. */
export interface ClusterFacts {
  readonly ref: ObjectRef;
  readonly generation: number;
  /** Also where it is malformed, as for the worker: that it is mended concerns all its machines. */
  readonly isPaused: boolean;
}

const problemsOf = createWellFormedCheck(definitionOf(CLUSTERS));

/** Reads a Cluster, also one that no schema has checked. */
export function clusterFacts(object: ClusterObject): ClusterFacts {
  const { metadata, spec } = object;
  const { namespace, name, uid, generation } = metadata;
  return {
    ref: { apiVersion: CLUSTERS.apiVersion, kind: CLUSTERS.kind, namespace, name, uid },
    generation,
    isPaused:
      problemsOf(object).spec !== undefined ||
      spec?.paused === true ||
      metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
  };
}
