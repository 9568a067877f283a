import { shortSteps } from '../short-steps.ts';
import type { MachineDeploymentActivities } from './machine-deployment-activities.ts';

const steps = shortSteps<MachineDeploymentActivities>;

/**
 * A deployment's short steps, each in the words that the Temporal UI shows for it. What changes sets is tried until it is answered: a
 * change whose outcome nobody knows might take effect after others were decided on.
 */
export const local = {
  surveyRollout: steps('count the machines of each set and plan what to do').surveyRollout,
  preflight: steps('ask the cloud whether it would launch a machine of the template').preflight,
  inspectMachines: steps('have late machines look at their instances', { maximumAttempts: 3 }).inspectMachines,
  pauseRollout: steps('pause the rollout').pauseRollout,
  rollBack: steps('put the last complete template back').rollBack,
  adoptSets: steps('adopt MachineSets that match').adoptSets,
  createSet: steps('create the MachineSet of the template').createSet,
  orderSets: steps('tell MachineSets how many machines to have').orderSets,
  removeSets: steps('delete MachineSets that are needed no more').removeSets,
  writeMachineDeploymentStatus: steps('write the status', { maximumAttempts: 5 }).writeMachineDeploymentStatus,
};
