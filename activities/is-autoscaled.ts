import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import type { MachineDeps } from './deps.ts';
import { isOfAutoscaledSet } from './sized-by.ts';

export function createIsAutoscaled(deps: MachineDeps): Pick<MachineActivities, 'isAutoscaled'> {
  return {
    async isAutoscaled(target) {
      const { meta } = await deps.reader.seen(target);
      return isOfAutoscaledSet(deps, meta.controller);
    },
  };
}
