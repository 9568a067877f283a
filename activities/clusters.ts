import type { StoredObject } from '../k8s/dialects/kind.ts';
import { CLUSTER_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { replicaOf } from '../k8s/model/replica.ts';
import type { ClusterActivities } from '../workflows/cluster/cluster-activities.ts';
import { applyStatus } from './apply-status.ts';
import type { ActivityDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';
import { readStored } from './read-stored.ts';
import { SeenVersions } from './seen-versions.ts';

/** Activities on a Cluster. */
export function createClusterActivities(deps: ActivityDeps): ClusterActivities {
  const { kube, apis, settings } = deps;
  const versions = new SeenVersions(kube);
  return {
    async countMachines(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const kind = apis.kindOf('cluster', ref);
      const stored = await readStored(kube, kind.resource, ref);
      if (stored === undefined) return { found: false };
      versions.saw(stored);
      const { cluster, status } = kind.read(stored);
      const { generation, paused, malformed } = cluster;
      const machines = await machinesOf(ref);
      const { backoff, resyncSeconds } = settings;
      return {
        found: true,
        generation,
        paused,
        ...(malformed === undefined ? {} : { malformed }),
        status,
        machines: machines.length,
        readyMachines: machines.filter(({ readySince, deleting }) => readySince !== undefined && !deleting).length,
        settings: { backoff, resyncSeconds },
      };
    },

    async writeClusterStatus(request) {
      refuseForeign(deps, request);
      const { ref, status } = request;
      const kind = apis.kindOf('cluster', ref);
      const written = { status: kind.writeStatus(status), fieldManager: CLUSTER_FIELD_MANAGER };
      await applyStatus({ kube, versions }, kind.resource, ref, written);
    },
  };

  async function machinesOf(ref: Parameters<ClusterActivities['countMachines']>[0]['ref']) {
    const { machine } = apis.apiOf(ref);
    if (machine === undefined) return [];
    const { items } = await kube.list<StoredObject>(machine.resource, { namespace: ref.namespace });
    const readings = items.map((item) => machine.read(item));
    return readings.filter((reading) => reading.machine.cluster === ref.name).map((reading) => replicaOf(reading));
  }
}
