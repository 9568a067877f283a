import { createClusterActivities } from '../../activities/clusters.ts';
import { createEventActivities } from '../../activities/report-event.ts';
import { CLUSTERS } from '../../k8s/dialects/openshift/resources.ts';
import { aCluster } from '../world/builders/a-cluster.ts';
import { ObjectWorld } from '../world/object-world.ts';
import { CLUSTER, type Temporal } from './temporal.ts';

/** A Cluster whose workflow runs the activities of a worker, against an API server in memory. */
export function realCluster(temporal: Temporal, name: string) {
  const world = new ObjectWorld(CLUSTER, { resource: CLUSTERS, object: aCluster({ name }) }, temporal.now);
  const activities = { ...createClusterActivities(world.deps), ...createEventActivities(world.deps) };
  return { world, start: () => temporal.startObject('cluster', { activities }, world.ref) };
}
