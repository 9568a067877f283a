import type { Api } from '../kind.ts';
import { machineHealthCheck } from './machine-health-check.ts';

/** `healthchecking.openshift.io/v1alpha1`: the health checks of the first versions of the Machine API. */
export const healthchecking = { machineHealthCheck } satisfies Api;
