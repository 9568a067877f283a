import { shortSteps } from '../short-steps.ts';
import type { MachineHealthCheckActivities } from './health-activities.ts';

const steps = shortSteps<MachineHealthCheckActivities>;

/** A check's short steps, each in the words that the Temporal UI shows for it. */
export const local = {
  /** Without a look there is nothing to say and nowhere to say it: it is tried until it works. */
  surveyHealth: steps('look at the health of the machines').surveyHealth,
  remediate: steps('remediate a machine', { maximumAttempts: 3 }).remediate,
  fulfilWish: steps('a wish is fulfilled', { maximumAttempts: 3 }).fulfilWish,
  releaseMachine: steps('let go of a machine that is healthy', { maximumAttempts: 3 }).releaseMachine,
  writeHealthStatus: steps('write the status', { maximumAttempts: 5 }).writeHealthStatus,
};
