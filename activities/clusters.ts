import type { StoredObject } from '../k8s/dialects/kind.ts';
import { CLUSTER_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { replicaOf } from '../k8s/model/replica.ts';
import type { ClusterActivities } from '../workflows/cluster/cluster-activities.ts';
import { entitySettingsOf } from '../workflows/settings.ts';
import type { ActivityDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';
import { SeenObjects } from './seen-objects.ts';
import { given } from '../providers/given.ts';

/** Activities on a Cluster. */
export function createClusterActivities(deps: ActivityDeps): ClusterActivities {
  const { kube, apis, settings } = deps;
  const objects = new SeenObjects(kube);
  return {
    async countMachines(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const kind = apis.kindOf('cluster', ref);
      const look = await objects.see(kind.resource, ref);
      if (look === undefined) return { found: false };
      const { stored, seen } = look;
      const { cluster, status } = kind.read(stored);
      const { generation, paused, malformed } = cluster;
      const machines = await machinesOf(ref);
      return {
        found: true,
        generation,
        paused,
        ...given({ malformed, seen }),
        status,
        machines: machines.length,
        readyMachines: machines.filter(({ readySince, deleting }) => readySince !== undefined && !deleting).length,
        settings: entitySettingsOf(settings),
      };
    },

    async writeClusterStatus(request) {
      refuseForeign(deps, request);
      const { ref, status, seen } = request;
      const written = { status, fieldManager: CLUSTER_FIELD_MANAGER, ...given({ seen }) };
      await objects.writeStatus(apis.kindOf('cluster', ref), ref, written);
    },
  };

  async function machinesOf(ref: Parameters<ClusterActivities['countMachines']>[0]['ref']) {
    const { machine } = apis.apiOf(ref);
    if (machine === undefined) return [];
    const { items } = await kube.list<StoredObject>(machine.resource, { namespace: ref.namespace });
    const readings = items.map((item) => machine.read(item));
    return readings.filter((reading) => reading.machine.clusterName === ref.name).map((reading) => replicaOf(reading));
  }
}
