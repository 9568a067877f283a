import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import { createActivities } from '../../workers/activities.ts';
import { SetWorld } from '../world/set-world.ts';
import { CLUSTER, type Temporal } from './temporal.ts';

export type MachineSetSpec = Partial<MachineSetObject['spec']>;

/** A MachineSet whose workflow runs the activities of a worker, against an API server in memory. */
export function realMachineSet(temporal: Temporal, name: string, spec: MachineSetSpec) {
  const world = new SetWorld(CLUSTER, { name, spec });
  const activities = createActivities({
    ...world.deps,
    inventoryIntervalSeconds: 300,
    inspect: async () => {},
    recount: async () => {},
    workflows: {
      listRunning: async () => new Set(),
      lookAt: async () => ({ state: 'running' }),
      start: async () => {},
    },
  });
  return { world, start: () => temporal.startMachineSet(activities, world.ref) };
}
