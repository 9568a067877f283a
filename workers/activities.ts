import type { ActivityDeps } from '../activities/deps.ts';
import { createInstanceActivities } from '../activities/instances.ts';
import { createInventoryActivities, type InventoryActivities, type InventoryDeps } from '../activities/inventory.ts';
import { createLaunchActivities } from '../activities/launch.ts';
import type { MachineActivities } from '../activities/machine-activities.ts';
import { createMachineActivities } from '../activities/machines.ts';
import type { MachineSetActivities } from '../activities/machine-set-activities.ts';
import { createMachineSetActivities } from '../activities/machine-sets.ts';
import { createNodeActivities } from '../activities/nodes.ts';

/** Every activity a worker runs, by the name its workflows call. */
export function createActivities(
  deps: ActivityDeps & InventoryDeps,
): MachineActivities & MachineSetActivities & InventoryActivities {
  return {
    ...createMachineActivities(deps),
    ...createLaunchActivities(deps),
    ...createInstanceActivities(deps),
    ...createNodeActivities(deps),
    ...createMachineSetActivities(deps),
    ...createInventoryActivities(deps),
  };
}
