import type { ClusterStatus } from '../../k8s/model/cluster.ts';
import { saySame, withCondition, type NewCondition } from '../../k8s/model/condition.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import type { FoundCluster } from './cluster-activities.ts';

/**
 * What the Cluster's status should say now; undefined: it says so already.
 *
 * @param now milliseconds since the epoch
 */
export function clusterStatusOf(seen: FoundCluster, now: number): ClusterStatus | undefined {
  const { machines, readyMachines, generation, status: stored } = seen;
  const { conditions: known = [] } = stored;
  const why = whyPaused(seen);
  const conditions = why === undefined ? [] : withCondition(known, why, new Date(now).toISOString());
  const isSame =
    stored.machines === machines &&
    stored.readyMachines === readyMachines &&
    stored.observedGeneration === generation &&
    saySame(known, conditions);
  return isSame ? undefined : { machines, readyMachines, observedGeneration: generation, conditions };
}

function whyPaused({ paused, malformed }: FoundCluster): NewCondition | undefined {
  if (!paused) return undefined;
  const held = 'nothing is done to its Machines and MachineSets until';
  if (malformed !== undefined) {
    return { type: 'Paused', status: 'True', reason: 'MalformedObject', message: `${malformed}: ${held} it is mended` };
  }
  const message = `spec.paused is true, or annotation ${PAUSED_ANNOTATION} is set: ${held} that is over`;
  return { type: 'Paused', status: 'True', reason: 'Paused', message };
}
