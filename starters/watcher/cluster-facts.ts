import type { ClusterKind, StoredObject } from '../../k8s/dialects/kind.ts';
import { digest } from './fingerprint.ts';
import { ownFacts, type OwnFacts } from './own-facts.ts';

/** What the watcher keeps of a Cluster. */
export interface ClusterFacts extends OwnFacts<'cluster'> {
  /** Changes with what it says, and not with its status. */
  readonly wanted: string;
  /** Also where it is malformed, as for the worker: that it is mended concerns all its machines. */
  readonly isPaused: boolean;
}

export function clusterFacts(object: StoredObject, kind: ClusterKind): ClusterFacts {
  const read = kind.read(object);
  return { ...ownFacts(read, kind), wanted: digest(read.wanted), isPaused: read.cluster.paused };
}
