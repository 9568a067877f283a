import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { deploymentAbove } from './deployment-above.ts';
import type { MachineDeps } from './deps.ts';
import { readOfRole } from './read-stored.ts';

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
  // Between two steps, and while the cloud is asked first, there are machines of other templates, too.
  return status.updatedReplicas === status.replicas || standsStill(machineDeployment);
}

/** It takes no machine for another template, whatever becomes of the new ones, until somebody has it do so. */
function standsStill({ isRolloutPaused, strategy }: MachineDeployment): boolean {
  return isRolloutPaused || strategy.type === 'OnDelete' || !strategy.mayReplace;
}
