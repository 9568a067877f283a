import { isPassing } from '../k8s/kube-error.ts';
import type { MachineActivities, MachineTarget } from '../workflows/machine/machine-activities.ts';
import type { ActivityDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';
import { readMachine } from './machines.ts';
import { recentLook } from './recent-looks.ts';

interface Steps {
  /** Deletes the Machine's Node, if it has one. */
  readonly deleteNode: (target: MachineTarget) => Promise<void>;
  /** Lets the Machine object go. */
  readonly removeFinalizer: (target: MachineTarget) => Promise<void>;
}

/** How old a look may be by which a Machine goes, in milliseconds: a pause that was set meanwhile counts. */
const LOOK_MS = 1000;

/** The end of a deletion in one activity. Safe to repeat, also after it worked. */
export function createLetGo(deps: ActivityDeps, steps: Steps): Pick<MachineActivities, 'letGo'> {
  return {
    async letGo(request) {
      refuseForeign(deps, request);
      const { ref, cluster, event } = request;
      try {
        if ((recentLook(deps.kube, ref.uid, LOOK_MS) ?? (await readMachine(deps, ref))) !== undefined) {
          await steps.deleteNode({ ref, cluster });
          await steps.removeFinalizer({ ref, cluster });
        }
      } catch (error) {
        if (!isPassing(error)) throw error;
        return { outcome: 'failed', message: error.message };
      }
      if (event !== undefined) await deps.events.record(ref, event);
      return { outcome: 'done' };
    },
  };
}
