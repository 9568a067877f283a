import type { Cluster } from '../model/cluster.ts';
import type { MachineClass } from '../model/machine-class.ts';
import type { Machine, MachineSpec, MachineStatus } from '../model/machine.ts';
import type { MachineSet, MachineSetStatus, Replica } from '../model/machine-set.ts';
import { replicaOf } from '../model/replica.ts';
import type { Resource } from '../resources.ts';
import type { Kinds, NewObject, StoredObject } from './kind.ts';

export type { StoredObject } from './kind.ts';

/** One API whose kinds are all there, as activities ask for it. */
export interface Dialect {
  readonly machines: Resource;
  readonly machineSets: Resource;
  readonly machineClasses: Resource;
  readonly clusters: Resource;
  readMachine(object: StoredObject): { readonly machine: Machine; readonly spec: MachineSpec };
  writeMachineStatus(status: MachineStatus): object;
  readMachineSet(object: StoredObject): MachineSet;
  writeMachineSetStatus(status: MachineSetStatus): object;
  readMachineClass(object: StoredObject): MachineClass;
  readCluster(object: StoredObject): Cluster;
  readReplica(object: StoredObject): Replica;
  newMachine(set: MachineSet, name: string): NewObject;
}

export function dialectFrom({ machine, machineSet, machineClass, cluster }: Kinds): Dialect {
  return {
    machines: machine.resource,
    machineSets: machineSet.resource,
    machineClasses: machineClass.resource,
    clusters: cluster.resource,
    readMachine(object) {
      const read = machine.read(object);
      return { machine: read.machine, spec: read.spec };
    },
    writeMachineStatus: (status) => machine.writeStatus(status),
    readMachineSet: (object) => machineSet.read(object).machineSet,
    writeMachineSetStatus: (status) => machineSet.writeStatus(status),
    readMachineClass: (object) => machineClass.read(object).machineClass,
    readCluster: (object) => cluster.read(object).cluster,
    readReplica: (object) => replicaOf(machine.read(object)),
    newMachine: (set, name) => machineSet.newMachine(set, name),
  };
}
