import { proxyActivities } from '@temporalio/workflow';
import { shortSteps } from '../short-steps.ts';
import type { MachineSetActivities } from './machine-set-activities.ts';

const steps = shortSteps<MachineSetActivities>;

/** A set's short steps, each in the words that the Temporal UI shows for it. */
export const local = {
  /** Without a look there is nothing to say and nowhere to say it: it is tried until it works. */
  surveyReplicas: steps('count the machines and plan what to do').surveyReplicas,
  adoptAndRelease: steps('adopt machines that match, let go those that do not', { maximumAttempts: 5 }).adoptAndRelease,
  dropStaleMarks: steps('take off marks of cluster-autoscaler that it left', { maximumAttempts: 5 }).dropStaleMarks,
  writeMachineSetStatus: steps('write the status', { maximumAttempts: 5 }).writeMachineSetStatus,
};

/** What takes as long as there are machines. Where all tries fail, the set says so and looks again. */
export const calls = proxyActivities<
  Pick<MachineSetActivities, 'createMachines' | 'deleteMachines' | 'updateMachines'>
>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 5 },
});
