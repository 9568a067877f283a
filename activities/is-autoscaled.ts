import type { MachineDeployment, MachineDeploymentStatus } from '../k8s/model/machine-deployment.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { asKnownToSets } from '../k8s/model/template-hash.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { seeHold } from '../workflows/machine-deployment/hold.ts';
import { deploymentAbove } from './deployment-above.ts';
import type { MachineDeps } from './deps.ts';
import { readOfRole } from './read-stored.ts';
import { setsOfDeployment } from './sets-of-deployment.ts';

export function createIsAutoscaled(deps: MachineDeps): Pick<MachineActivities, 'isAutoscaled'> {
  return {
    async isAutoscaled(target) {
      const { meta } = await deps.reader.seen(target);
      return isOfAutoscaledSet(deps, meta.controller);
    },
  };
}

/**
 * Whether a Machine of the set is there because cluster-autoscaler may want it. While its deployment rolls, it may be one that takes the
 * place of another: who gave that up for want of room would have one machine less after each.
 */
async function isOfAutoscaledSet(deps: MachineDeps, controller: ObjectRef | undefined): Promise<boolean> {
  const found = controller && (await readOfRole(deps, 'machineSet', controller));
  if (found === undefined) return false;
  const { machineSet, meta } = found.kind.read(found.stored);
  const above = await deploymentAbove(deps, meta.controller);
  if (above === undefined) return machineSet.autoscaledFrom !== undefined;
  const { machineDeployment, status } = above;
  if (machineSet.rollout !== undefined || machineDeployment.autoscaledFrom === undefined) return false;
  if (status.updatedReplicas === status.replicas || machineDeployment.strategy.type === 'OnDelete') return true;
  const sets = await setsOfDeployment(deps, machineDeployment);
  return standsStill(asKnownToSets(machineDeployment, sets), status, deps.clock.timeOfDay());
}

/** It takes no machine for another template, whatever becomes of the new ones: it is paused, waits at a step, or for the cloud's word. */
function standsStill(deployment: MachineDeployment, status: Partial<MachineDeploymentStatus>, now: number): boolean {
  const hasNew = (status.updatedReplicas ?? 0) > 0;
  return seeHold(deployment, status, { hasOld: true, hasNew }, now).hold !== undefined;
}
