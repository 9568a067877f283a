import type { Resource } from '../../resources.ts';

const apiVersion = 'machine.openshift.io/v1beta1';

export const MACHINES: Resource = { apiVersion, kind: 'Machine', plural: 'machines', namespaced: true };
export const MACHINE_SETS: Resource = { apiVersion, kind: 'MachineSet', plural: 'machinesets', namespaced: true };
export const MACHINE_DEPLOYMENTS: Resource = {
  apiVersion,
  kind: 'MachineDeployment',
  plural: 'machinedeployments',
  namespaced: true,
};
export const MACHINE_CLASSES: Resource = {
  apiVersion,
  kind: 'MachineClass',
  plural: 'machineclasses',
  namespaced: true,
};
export const MACHINE_HEALTH_CHECKS: Resource = {
  apiVersion,
  kind: 'MachineHealthCheck',
  plural: 'machinehealthchecks',
  namespaced: true,
};
export const CLUSTERS: Resource = { apiVersion, kind: 'Cluster', plural: 'clusters', namespaced: true };
