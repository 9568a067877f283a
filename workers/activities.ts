import { createRebootActivities } from '../activities/health/reboots.ts';
import { createHealthActivities } from '../activities/health/health-checks.ts';
import type { OutageDeps } from '../activities/health/outages.ts';
import { createTellCapacity } from '../activities/capacity/tell-capacity.ts';
import { createClusterActivities } from '../activities/clusters.ts';
import { createDeleteMachine } from '../activities/delete-machine.ts';
import { createMachineDeps, type ActivityDeps, type InspectDeps, type MachineDeps } from '../activities/deps.ts';
import { tellingRefusals } from '../activities/failures.ts';
import { createInstanceActivities } from '../activities/instances.ts';
import { createInventoryActivities, type InventoryDeps } from '../activities/inventory.ts';
import { createIsAutoscaled } from '../activities/is-autoscaled.ts';
import { createLaunchInstance } from '../activities/launch-instance.ts';
import { createLetGo } from '../activities/let-go.ts';
import { createLoadBalancerActivities } from '../activities/load-balancers.ts';
import type { MachineDeploymentActivities } from '../workflows/machine-deployment/machine-deployment-activities.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { createMachineActivities } from '../activities/machines.ts';
import { createAdoption } from '../activities/adoption.ts';
import { createAttachedVolumes } from '../activities/drain/attached-volumes.ts';
import { createDrainNode } from '../activities/drain/drain-node.ts';
import { createKeepClosed } from '../activities/drain/keep-closed.ts';
import { createTellDrained } from '../activities/drain/tell-drained.ts';
import { createVacateNode } from '../activities/drain/vacate-node.ts';
import { createOwnNodes } from '../activities/own-node.ts';
import { createEventActivities } from '../activities/report-event.ts';
import { createMachineClassActivities } from '../activities/machine-classes.ts';
import { createMachineDeploymentActivities } from '../activities/machine-deployments.ts';
import { createMachineSetActivities } from '../activities/machine-sets.ts';
import { createNodeActivities } from '../activities/nodes.ts';
import { createPreflight } from '../activities/preflight.ts';
import { createPrepareLaunch } from '../activities/prepare-launch.ts';
import { createSurplusActivities } from '../activities/surplus.ts';
import { tellingWhatWasHeard } from '../activities/telling-what-was-heard.ts';
import { createTakeTurn } from '../activities/take-turn.ts';

/** Every activity a worker runs, by the name its workflows call. */
export function createActivities(given: ActivityDeps & InventoryDeps & OutageDeps) {
  const deps = { ...createMachineDeps(given), listOutages: given.listOutages };
  return tellingWhatWasHeard({
    ...createActivitiesOnMachines(deps),
    ...createMachineSetActivities(deps),
    ...tellingRefusals(createTellCapacity(deps)),
    ...createActivitiesOnDeployments({ ...deps, inspect: given.inspect }),
    ...createClusterActivities(deps),
    ...createHealthActivities(deps),
    ...createMachineClassActivities(deps),
    ...createEventActivities(deps),
    ...createInventoryActivities(given),
  });
}

function createActivitiesOnDeployments(deps: MachineDeps & InspectDeps): MachineDeploymentActivities {
  const activities = { ...createMachineDeploymentActivities(deps), ...createPreflight(deps) };
  // Without a look there is nothing to say and nowhere to say it: it is tried until it works.
  return { ...tellingRefusals(activities), surveyRollout: (target) => activities.surveyRollout(target) };
}

function createActivitiesOnMachines(deps: MachineDeps & OutageDeps): MachineActivities {
  const { removeFinalizer, ...machines } = createMachineActivities(deps);
  const ownNodes = createOwnNodes(deps);
  const adoption = createAdoption(deps);
  const attachedVolumes = createAttachedVolumes(deps.kube, deps.clock);
  const { deleteNode, keepNode, ...nodes } = createNodeActivities(deps, ownNodes.find);
  return {
    ...tellingRefusals(machines),
    // Without a look there is nothing to say and nowhere to say it: it is tried until it works.
    observeMachine: (target) => machines.observeMachine(target),
    ...tellingRefusals(createPrepareLaunch(deps)),
    ...tellingRefusals(createLaunchInstance(deps)),
    ...tellingRefusals(createIsAutoscaled(deps)),
    ...tellingRefusals(createInstanceActivities(deps, adoption)),
    ...tellingRefusals(createSurplusActivities(deps)),
    ...tellingRefusals(createLoadBalancerActivities(deps, adoption)),
    ...tellingRefusals(nodes),
    ...tellingRefusals(createTakeTurn(deps)),
    ...tellingRefusals(createDrainNode(deps, { ownNodes, attachedVolumes })),
    ...tellingRefusals(createVacateNode(deps, { ownNodes, attachedVolumes })),
    ...tellingRefusals(createTellDrained(deps, ownNodes)),
    ...tellingRefusals(createKeepClosed(deps, ownNodes)),
    ...tellingRefusals(createRebootActivities(deps)),
    ...tellingRefusals(createDeleteMachine(deps)),
    ...tellingRefusals(createLetGo(deps, { deleteNode, keepNode, removeFinalizer })),
  };
}
