import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import type { ActivityDeps } from './deps.ts';

type Steps = Pick<MachineActivities, 'deleteNode' | 'removeFinalizer'>;

/** The end of a deletion in one activity. */
export function createLetGo({ events }: ActivityDeps, steps: Steps): Pick<MachineActivities, 'letGo'> {
  return {
    async letGo({ ref, cluster, event }) {
      await steps.deleteNode({ ref, cluster });
      await steps.removeFinalizer({ ref, cluster });
      if (event !== undefined) await events.record(ref, event);
    },
  };
}
