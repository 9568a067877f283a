/** The entry of the workflow bundle: every workflow a worker can run, by its type. */
export { cluster } from './cluster/cluster.ts';
export { inventory } from './inventory/inventory.ts';
export { machine } from './machine/machine.ts';
export { machineClass } from './machine-class/machine-class.ts';
export { machineDeployment } from './machine-deployment/machine-deployment.ts';
export { machineHealthCheck } from './machine-health-check/machine-health-check.ts';
export { machineSet } from './machine-set/machine-set.ts';
export { safety } from './safety/safety.ts';
