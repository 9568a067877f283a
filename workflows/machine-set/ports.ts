import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { FOREIGN_CLUSTER } from '../failure-types.ts';
import type { MachineSetActivities } from './machine-set-activities.ts';

const RETRY = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/** A set's short steps, each in the words that the Temporal UI shows for it. */
export const local = {
  /** Without a look there is nothing to say and nowhere to say it: it is tried until it works. */
  surveyReplicas: called('count the machines and plan what to do', {}).surveyReplicas,
  adoptAndRelease: called('adopt machines that match, let go those that do not', { maximumAttempts: 5 })
    .adoptAndRelease,
  writeMachineSetStatus: called('write the status', { maximumAttempts: 5 }).writeMachineSetStatus,
};

/** What takes as long as there are machines. Where all tries fail, the set says so and looks again. */
export const calls = proxyActivities<Pick<MachineSetActivities, 'createMachines' | 'deleteMachines'>>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: '15s',
  retry: { ...RETRY, initialInterval: '500ms', maximumAttempts: 5 },
});

function called(summary: string, retry: { readonly maximumAttempts?: number }) {
  return proxyLocalActivities<MachineSetActivities>({
    summary,
    startToCloseTimeout: '30s',
    localRetryThreshold: '5s',
    // Refused as another cluster's, it would be repeated on the same worker: the task goes to another one.
    retry: { ...RETRY, ...retry, nonRetryableErrorTypes: [FOREIGN_CLUSTER] },
  });
}
