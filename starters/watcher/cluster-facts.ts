import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { ClusterReading } from '../../k8s/model/reading.ts';
import { digest } from './fingerprint.ts';

/** What the watcher keeps of a Cluster. */
export interface ClusterFacts {
  readonly ref: ObjectRef;
  /** Changes with what it says, and not with its status. */
  readonly fingerprint: string;
  /** Also where it is malformed, as for the worker: that it is mended concerns all its machines. */
  readonly isPaused: boolean;
}

export function clusterFacts({ cluster, wanted }: ClusterReading): ClusterFacts {
  return { ref: cluster.ref, fingerprint: digest(wanted), isPaused: cluster.paused };
}
