import type { Cluster } from '../model/cluster.ts';
import type { MachineClass } from '../model/machine-class.ts';
import type { Machine, MachineSpec, MachineStatus } from '../model/machine.ts';
import type { MachineSet, MachineSetStatus, Replica } from '../model/machine-set.ts';
import type { ObjectRef } from '../model/object-ref.ts';
import type { Resource } from '../resources.ts';

/** Any object as the API server answers it, before a dialect has read it. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
  };
}

/**
 * One API's objects in terms of our model: pure functions from the object to the model and from our status to theirs.
 * Workflows and activities see the model and an {@link ObjectRef} only, so a further API is a further file here.
 */
export interface Dialect {
  readonly machines: Resource;
  readonly machineSets: Resource;
  readonly machineClasses: Resource;
  readonly clusters: Resource;
  /** Reads a Machine. Never fails: what is malformed is left out, and the spec's own checks name it. */
  readMachine(object: StoredObject): { readonly machine: Machine; readonly spec: MachineSpec };
  /** The `status` to apply; everything our field manager owns, or it would be removed. */
  writeMachineStatus(status: MachineStatus): object;
  readMachineSet(object: StoredObject): MachineSet;
  writeMachineSetStatus(status: MachineSetStatus): object;
  readMachineClass(object: StoredObject): MachineClass;
  readCluster(object: StoredObject): Cluster;
  /** A Machine as its set sees it. */
  readReplica(object: StoredObject): Replica;
  /** A new Machine of the set's template. */
  newMachine(set: MachineSet, name: string): object;
}

export function refOf(object: StoredObject): ObjectRef {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid };
}
