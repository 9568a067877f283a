import type { Cluster, ClusterStatus } from './cluster.ts';
import type { Condition } from './condition.ts';
import type { MachineClass, MachineClassStatus } from './machine-class.ts';
import type { HealthWishes, MachineHealthCheck, MachineHealthCheckStatus } from './machine-health-check.ts';
import type { MachineDeployment, MachineDeploymentStatus } from './machine-deployment.ts';
import type { MachineSet, MachineSetStatus } from './machine-set.ts';
import type { Machine, MachineSpec } from './machine.ts';
import type { ObjectRef } from './object-ref.ts';

/** What is read of any object's metadata. */
export interface Meta {
  readonly ref: ObjectRef;
  readonly resourceVersion: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; set while it is being deleted. */
  readonly deletedAt?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  /** Who controls it. */
  readonly controller?: ObjectRef;
}

/** What is read of every object, whatever its API and its role. */
export interface Reading {
  readonly meta: Meta;
  /** Name of the cluster that it belongs to; empty where it says none. */
  readonly clusterName: string;
  /**
   * What others write of it beside its metadata: while it stays the same, its workflow has no reason to look. A status that
   * cannot be read is among it, so that it is noticed when somebody mends it. To be compared, not to be read.
   */
  readonly wanted: unknown;
}

/** A stored Machine. */
export interface MachineReading extends Reading {
  /** As its workflow sees it. */
  readonly machine: Machine;
  readonly spec: MachineSpec;
  /** Asked to be deleted before others of its set. */
  readonly markedForDeletion: boolean;
  /** When cluster-autoscaler asked for that, in milliseconds since the epoch; absent: somebody else did, or nobody. */
  readonly markedAt?: number;
  /** Our workflow wrote its providerID, or the same one as well. */
  readonly isProviderIDOurs: boolean;
  readonly placement: Placement;
  /** What is asked of health checks for it. */
  readonly health: HealthWishes;
  /** The conditions that others write on it. */
  readonly otherConditions: readonly Condition[];
}

/** Where an instance runs and of which type it is, as far as its Machine tells. */
export interface Placement {
  readonly region?: string;
  readonly zone?: string;
  readonly instanceType?: string;
}

/** A stored MachineSet. */
export interface MachineSetReading extends Reading {
  readonly machineSet: MachineSet;
  /** As it was written last; empty where nothing was, or it cannot be read. */
  readonly status: Partial<MachineSetStatus>;
}

/** A stored MachineDeployment. */
export interface MachineDeploymentReading extends Reading {
  readonly machineDeployment: MachineDeployment;
  /** As it was written last; empty where nothing was, or it cannot be read. */
  readonly status: Partial<MachineDeploymentStatus>;
}

/** A stored MachineClass. */
export interface MachineClassReading extends Reading {
  readonly machineClass: MachineClass;
  /** As it was written last; empty where nothing was, or it cannot be read. */
  readonly status: Partial<MachineClassStatus>;
}

/** A stored MachineHealthCheck. It belongs to no cluster: its Machines may be of several. */
export interface MachineHealthCheckReading extends Reading {
  readonly machineHealthCheck: MachineHealthCheck;
  /** As it was written last; empty where nothing was, or it cannot be read. */
  readonly status: Partial<MachineHealthCheckStatus>;
}

/** A stored Cluster. */
export interface ClusterReading extends Reading {
  readonly cluster: Cluster;
  /** As it was written last; empty where nothing was, or it cannot be read. */
  readonly status: Partial<ClusterStatus>;
}
