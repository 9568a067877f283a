import { proxyActivities } from '@temporalio/workflow';
import type { MachineActivities } from './machine-activities.ts';
import { shortSteps } from '../short-steps.ts';
import type { MachineSettings } from './settings.ts';

const steps = shortSteps<MachineActivities>;

/** A machine's short steps, each in the words that the Temporal UI shows for it. */
export const local = {
  observeMachine: steps('look at the Machine and its Node').observeMachine,
  prepareLaunch: steps('freeze what to launch, and its token, in the status').prepareLaunch,
  isAutoscaled: steps('look whether cluster-autoscaler sizes its set').isAutoscaled,
  findInstances: steps('look for an instance by the uid and the token').findInstances,
  lookAtInstance: steps('look at the instance').lookAtInstance,
  recordInstance: steps('record the instance in the Machine').recordInstance,
  addFinalizer: steps('put the finalizer back').addFinalizer,
  joinNode: steps('look for the Node that joins').joinNode,
  writeMachineStatus: steps('write the status').writeMachineStatus,
  lookAtLeftover: steps('look whether the instance is gone too', { scheduleToCloseTimeout: '1h' }).lookAtLeftover,
  deleteMarkedNode: steps('delete the Node that was left').deleteMarkedNode,
  reportSuspectedOrphan: steps('report that an instance may be left behind').reportSuspectedOrphan,
  lookAtReboot: steps('look whether the reboot is wanted still').lookAtReboot,
  // These change something and are safe to repeat: a worker that dies during one needs no record of it.
  takeTurn: steps('take the turn of the control plane').takeTurn,
  drainNode: steps('drain the Node: evict, and look what is left').drainNode,
  uncordonNode: steps('uncordon the Node').uncordonNode,
  forgetDeletion: steps('take off what was written for a deletion that is over').forgetDeletion,
  forgetReboot: steps('take off the wish for a reboot that nobody stands behind').forgetReboot,
  deleteMachine: steps('delete the Machine').deleteMachine,
  vacateNode: steps('tell Kubernetes that nothing on the Node runs, and look what is left').vacateNode,
  returnNode: steps('take back that nothing on the Node runs').returnNode,
  lookAtVolumes: steps('look whether the volumes are detached').lookAtVolumes,
  tellDrained: steps('have the Node tell how its drain ended').tellDrained,
  keepClosed: steps('keep the Node closed while its drain rests').keepClosed,
  detachLoadBalancers: steps('take the instance from behind its load balancers').detachLoadBalancers,
  terminateInstance: steps('terminate the instance').terminateInstance,
  endSurplusInstance: steps('end an instance too many').endSurplusInstance,
  letGo: steps('delete the Node and let the Machine object go').letGo,
};

/**
 * Calls by which the cloud makes or does something, so that no later step may overtake one that is still under way: shown in the UI one
 * by one, and never repeated by Temporal itself.
 */
export function cloudCalls(settings: MachineSettings) {
  return proxyActivities<Pick<MachineActivities, 'launchInstance' | 'attachLoadBalancers' | 'rebootInstance'>>({
    startToCloseTimeout: `${settings.callTimeoutSeconds}s`,
    heartbeatTimeout: `${settings.heartbeatSeconds}s`,
    retry: { maximumAttempts: 1 },
  });
}
