import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import type { MachineDeps } from './deps.ts';
import { sizeOfSet } from './sized-by.ts';

export function createIsAutoscaled(deps: MachineDeps): Pick<MachineActivities, 'isAutoscaled'> {
  return {
    async isAutoscaled(target) {
      const { meta } = await deps.reader.seen(target);
      const size = await sizeOfSet(deps, meta.controller);
      return size?.autoscaledFrom !== undefined;
    },
  };
}
