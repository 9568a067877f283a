import type { Condition } from './condition.ts';
import type { ObjectRef } from './object-ref.ts';

/** What is common to the machines of a namespace that carry its name in their cluster label. */
export interface Cluster {
  readonly ref: ObjectRef;
  readonly generation: number;
  /** By its spec or by the annotation; also where it is malformed, as what it wants cannot be known then. */
  readonly paused: boolean;
  readonly defaults: ClusterDefaults;
  /** How many machines its control plane has; absent: as many as were seen. */
  readonly controlPlaneSize?: number;
  /** Which field of its spec is not what its schema allows, and why; then nothing is taken from it. */
  readonly malformed?: string;
}

export interface ClusterStatus {
  /** How many Machines it has. */
  readonly machines: number;
  /** How many of them have a Node that is Ready, and are not being deleted. */
  readonly readyMachines: number;
  readonly observedGeneration: number;
  readonly conditions: readonly Condition[];
}

/** What a machine gets where neither it nor its class says it. */
export interface ClusterDefaults {
  readonly region?: string;
  /** Name of the Secret, in the Cluster's namespace. */
  readonly credentialsSecret?: string;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
}
