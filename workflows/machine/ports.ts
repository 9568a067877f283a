import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { MachineActivities } from './machine-activities.ts';
import type { EventActivities } from '../event-activities.ts';
import { FOREIGN_CLUSTER } from '../failure-types.ts';
import type { MachineSettings } from './settings.ts';

/**
 * Reads and patches of under a second: one history event each. Retried for as long as it takes (the API server may be
 * away); what only a new look can mend fails as `ObjectChanged` and is not retried.
 */
const SHORT = {
  startToCloseTimeout: '30s',
  localRetryThreshold: '5s',
  retry: {
    initialInterval: '200ms',
    backoffCoefficient: 2,
    maximumInterval: '10s',
    // It would be repeated on the same worker: the task goes to another one.
    nonRetryableErrorTypes: [FOREIGN_CLUSTER],
  },
};

/** A machine's short steps, each in the words that the Temporal UI shows for it. */
export const local = {
  observeMachine: called('look at the Machine and its Node').observeMachine,
  prepareLaunch: called('freeze what to launch, and its token, in the status').prepareLaunch,
  findInstances: called('look for an instance by the uid and the token').findInstances,
  lookAtInstance: called('look at the instance').lookAtInstance,
  recordInstance: called('record the instance in the Machine').recordInstance,
  addFinalizer: called('put the finalizer back').addFinalizer,
  joinNode: called('look for the Node that joins').joinNode,
  writeMachineStatus: called('write the status').writeMachineStatus,
  lookAtLeftover: called('look whether the instance is gone too', { scheduleToCloseTimeout: '1h' }).lookAtLeftover,
  reportSuspectedOrphan: called('report that an instance may be left behind').reportSuspectedOrphan,
  // Both change something and are safe to repeat: a worker that dies during one needs no record of it.
  terminateInstance: called('terminate the instance').terminateInstance,
  letGo: called('delete the Node and let the Machine object go').letGo,
};

function called(summary: string, more: { readonly scheduleToCloseTimeout?: '1h' } = {}) {
  return proxyLocalActivities<MachineActivities>({ ...SHORT, ...more, summary });
}

/** Events, beside any object. */
export const reporting = proxyLocalActivities<EventActivities>({ ...SHORT, summary: 'report an event' });

/** Calls that change something in the cloud: shown in the UI one by one, and never repeated by Temporal itself. */
export function cloudCalls(settings: MachineSettings) {
  return proxyActivities<
    Pick<MachineActivities, 'launchInstance' | 'attachLoadBalancers' | 'detachLoadBalancers' | 'endSurplusInstance'>
  >({
    startToCloseTimeout: `${settings.callTimeoutSeconds}s`,
    heartbeatTimeout: `${settings.heartbeatSeconds}s`,
    retry: { maximumAttempts: 1 },
  });
}
