import { createHealthCheckKind } from './health-check-kind.ts';
import { MACHINE_HEALTH_CHECKS } from './resources.ts';

export const machineHealthCheck = createHealthCheckKind(MACHINE_HEALTH_CHECKS, (spec) => spec);
