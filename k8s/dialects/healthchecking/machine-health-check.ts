import { createHealthCheckKind } from '../openshift/health-check-kind.ts';
import type { Resource } from '../../resources.ts';

const MACHINE_HEALTH_CHECKS: Resource = {
  apiVersion: 'healthchecking.openshift.io/v1alpha1',
  kind: 'MachineHealthCheck',
  plural: 'machinehealthchecks',
  namespaced: true,
};

/** It names its Machines; every other rule is the default. */
export const machineHealthCheck = createHealthCheckKind(MACHINE_HEALTH_CHECKS, ({ selector }) => ({ selector }));
