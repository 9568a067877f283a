import type { MachineReading } from '../../k8s/model/reading.ts';
import { clusterPause } from '../cluster-pause.ts';
import type { ActivityDeps } from '../deps.ts';

/** What a Machine is paused by, as the beginning of "… is paused"; undefined: it is not. */
export type Pauses = (read: MachineReading) => Promise<string | undefined>;

/** Each Cluster is read once. */
export function createPauses(deps: Pick<ActivityDeps, 'kube' | 'apis'>): Pauses {
  const known = new Map<string, Promise<string | undefined>>();
  return async ({ machine }) => {
    if (machine.paused) return 'it';
    const { ref, clusterName } = machine;
    const key = `${ref.apiVersion} ${clusterName}`;
    const asked = known.get(key) ?? clusterPause(deps, ref, clusterName).then((pause) => pause?.pausedBy);
    known.set(key, asked);
    return asked;
  };
}
