import type { ClusterKind } from '../../k8s/dialects/kind.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { ClusterReading } from '../../k8s/model/reading.ts';
import { digest, fingerprintOf } from './fingerprint.ts';

/** What the watcher keeps of a Cluster. */
export interface ClusterFacts {
  readonly role: 'cluster';
  readonly ref: ObjectRef;
  /** Its name, as what belongs to it has it. */
  readonly cluster: string;
  /** Changes with what concerns its own workflow. */
  readonly fingerprint: string;
  /** Changes with what it says, and not with its status. */
  readonly wanted: string;
  /** Also where it is malformed, as for the worker: that it is mended concerns all its machines. */
  readonly isPaused: boolean;
}

export function clusterFacts(read: ClusterReading, kind: ClusterKind): ClusterFacts {
  const { cluster, wanted } = read;
  return {
    role: 'cluster',
    ref: cluster.ref,
    cluster: cluster.ref.name,
    fingerprint: fingerprintOf(read, kind),
    wanted: digest(wanted),
    isPaused: cluster.paused,
  };
}
