import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { MachineReading } from '../../k8s/model/reading.ts';
import { clusterPause } from '../cluster-pause.ts';
import type { ActivityDeps } from '../deps.ts';

type Deps = Pick<ActivityDeps, 'kube' | 'apis'>;

/** What a Cluster is held up by, as the beginning of "… is paused"; undefined: it is not. */
export type ClusterPauses = (ref: ObjectRef, clusterName: string) => Promise<string | undefined>;

/** The same of a Machine. */
export type Pauses = (read: MachineReading) => Promise<string | undefined>;

/** Each Cluster is read once. */
export function createClusterPauses(deps: Deps): ClusterPauses {
  const known = new Map<string, Promise<string | undefined>>();
  return async (ref, clusterName) => {
    const key = `${ref.apiVersion} ${clusterName}`;
    const asked = known.get(key) ?? clusterPause(deps, ref, clusterName).then((pause) => pause?.pausedBy);
    known.set(key, asked);
    return asked;
  };
}

export function createPauses(deps: Deps, ofCluster: ClusterPauses = createClusterPauses(deps)): Pauses {
  return async ({ machine }) => (machine.paused ? 'it' : ofCluster(machine.ref, machine.clusterName));
}
