import type { Cluster, ClusterStatus } from '../../k8s/model/cluster.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { EntitySettings } from '../settings.ts';

/** The port between a Cluster's workflow and the outside. */
export interface ClusterActivities {
  /** A live look at the Cluster, and a count of its Machines. */
  countMachines(target: ObjectTarget): Promise<ClusterSighting>;
  writeClusterStatus(request: WriteClusterStatus): Promise<void>;
}

export type ClusterSighting = { readonly found: false } | FoundCluster;

export interface FoundCluster
  extends Pick<Cluster, 'generation' | 'paused' | 'malformed'>, Pick<ClusterStatus, 'machines' | 'readyMachines'> {
  readonly found: true;
  /** As stored. */
  readonly status: Partial<ClusterStatus>;
  /** That status, for the write of the next one. */
  readonly seen?: SeenStatus;
  readonly settings: EntitySettings;
}

export interface WriteClusterStatus extends ObjectTarget {
  readonly status: ClusterStatus;
  /** The look that it follows from. */
  readonly seen?: SeenStatus;
}
