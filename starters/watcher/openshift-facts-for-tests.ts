import type { StoredObject } from '../../k8s/dialects/kind.ts';
import { openshift } from '../../k8s/dialects/openshift/api.ts';
import { APIS } from '../../k8s/dialects/registry.ts';
import type { Node } from '../../k8s/model/node.ts';
import { clusterFacts, type ClusterFacts } from './cluster-facts.ts';
import { machineClassFacts, type MachineClassFacts } from './machine-class-facts.ts';
import { machineDeploymentFacts, type MachineDeploymentFacts } from './machine-deployment-facts.ts';
import { machineFacts, type MachineFacts } from './machine-facts.ts';
import { machineHealthCheckFacts, type MachineHealthCheckFacts } from './machine-health-check-facts.ts';
import { machineSetFacts, type MachineSetFacts } from './machine-set-facts.ts';
import { nodeFacts, type NodeFacts } from './node-facts.ts';

/** The facts of stored objects of `machine.openshift.io/v1beta1`. */
export function factsOfMachine(object: StoredObject): MachineFacts {
  return machineFacts(object, openshift.machine, openshift);
}

export function factsOfMachineSet(object: StoredObject): MachineSetFacts {
  return machineSetFacts(object, openshift.machineSet, openshift);
}

export function factsOfMachineDeployment(object: StoredObject): MachineDeploymentFacts {
  return machineDeploymentFacts(object, openshift.machineDeployment, openshift);
}

export function factsOfMachineClass(object: StoredObject): MachineClassFacts {
  return machineClassFacts(object, openshift.machineClass);
}

export function factsOfHealthCheck(object: StoredObject): MachineHealthCheckFacts {
  return machineHealthCheckFacts(object, openshift.machineHealthCheck);
}

export function factsOfCluster(object: StoredObject): ClusterFacts {
  return clusterFacts(object, openshift.cluster);
}

export function factsOfNode(node: Node): NodeFacts {
  return nodeFacts(node, APIS);
}
