import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { MachineActivities } from './machine-activities.ts';
import type { EventActivities } from '../event-activities.ts';
import type { MachineSettings } from './settings.ts';

/**
 * Reads and patches of under a second: one history event each. Retried for as long as it takes (the API server may be
 * away); what only a new look can mend fails as `ObjectChanged` and is not retried.
 */
export const local = proxyLocalActivities<MachineActivities>({
  startToCloseTimeout: '30s',
  localRetryThreshold: '5s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

/** Events, beside any object. */
export const reporting = proxyLocalActivities<EventActivities>({
  startToCloseTimeout: '30s',
  localRetryThreshold: '5s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

/** Calls that change something in the cloud: shown in the UI one by one, and never repeated by Temporal itself. */
export function cloudCalls(settings: MachineSettings) {
  return proxyActivities<
    Pick<MachineActivities, 'launchInstance' | 'attachLoadBalancers' | 'detachLoadBalancers' | 'terminateInstance'>
  >({
    startToCloseTimeout: `${settings.callTimeoutSeconds}s`,
    heartbeatTimeout: `${settings.heartbeatSeconds}s`,
    retry: { maximumAttempts: 1 },
  });
}

/**
 * The last step. A recorded activity and not a local one: once it is asked for, all that led to it is in the history, so
 * a workflow whose worker dies right after it knows that the object went by its own hand.
 */
export const lastStep = proxyActivities<Pick<MachineActivities, 'removeFinalizer'>>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
});
