import type { Api } from '../kind.ts';
import { cluster } from './cluster.ts';
import { machineClass } from './machine-class.ts';
import { machineDeployment } from './machine-deployment.ts';
import { machineHealthCheck } from './machine-health-check.ts';
import { machineSet } from './machine-set.ts';
import { machine } from './machine.ts';

/** `machine.openshift.io/v1beta1`: the Machine API's kinds, and MachineDeployment and MachineClass after Gardener's. */
export const openshift = {
  machine,
  machineSet,
  machineDeployment,
  machineClass,
  machineHealthCheck,
  cluster,
} satisfies Api;
