import { createClusterActivities } from '../activities/clusters.ts';
import { createMachineDeps, type ActivityDeps } from '../activities/deps.ts';
import { tellingRefusals } from '../activities/failures.ts';
import { createInstanceActivities } from '../activities/instances.ts';
import { createInventoryActivities, type InventoryDeps } from '../activities/inventory.ts';
import type { InventoryActivities } from '../workflows/inventory/inventory-activities.ts';
import { createLaunchInstance } from '../activities/launch-instance.ts';
import { createLetGo } from '../activities/let-go.ts';
import { createLoadBalancerActivities } from '../activities/load-balancers.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { createMachineActivities } from '../activities/machines.ts';
import { createEventActivities } from '../activities/report-event.ts';
import type { EventActivities } from '../workflows/event-activities.ts';
import type { MachineSetActivities } from '../workflows/machine-set/machine-set-activities.ts';
import { createMachineClassActivities } from '../activities/machine-classes.ts';
import type { MachineClassActivities } from '../workflows/machine-class/machine-class-activities.ts';
import { createMachineSetActivities } from '../activities/machine-sets.ts';
import type { ClusterActivities } from '../workflows/cluster/cluster-activities.ts';
import { createNodeActivities } from '../activities/nodes.ts';
import { createPrepareLaunch } from '../activities/prepare-launch.ts';
import { createSurplusActivities } from '../activities/surplus.ts';

/** Every activity a worker runs, by the name its workflows call. */
export function createActivities(
  given: ActivityDeps & InventoryDeps,
): MachineActivities &
  MachineSetActivities &
  ClusterActivities &
  MachineClassActivities &
  InventoryActivities &
  EventActivities {
  const deps = createMachineDeps(given);
  const { removeFinalizer, ...machines } = createMachineActivities(deps);
  const { deleteNode, ...nodes } = createNodeActivities(deps);
  return {
    ...tellingRefusals(machines),
    // Without a look there is nothing to say and nowhere to say it: it is tried until it works.
    observeMachine: (target) => machines.observeMachine(target),
    ...tellingRefusals(createPrepareLaunch(deps)),
    ...tellingRefusals(createLaunchInstance(deps)),
    ...tellingRefusals(createInstanceActivities(deps)),
    ...tellingRefusals(createSurplusActivities(deps)),
    ...tellingRefusals(createLoadBalancerActivities(deps)),
    ...tellingRefusals(nodes),
    ...tellingRefusals(createLetGo(deps, { deleteNode, removeFinalizer })),
    ...createMachineSetActivities(deps),
    ...createClusterActivities(deps),
    ...createMachineClassActivities(deps),
    ...createEventActivities(deps),
    ...createInventoryActivities(given),
  };
}
