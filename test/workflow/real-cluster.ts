import { CLUSTERS } from '../../k8s/dialects/openshift/resources.ts';
import { aCluster } from '../world/builders/a-cluster.ts';
import { ObjectWorld } from '../world/object-world.ts';
import type { Temporal } from './temporal.ts';

/** A Cluster and how its workflow is started. */
export function realCluster(temporal: Temporal, name: string) {
  const world = new ObjectWorld(temporal.clock, { resource: CLUSTERS, object: aCluster({ name }) });
  return { world, start: () => temporal.startObject('cluster', world, world.ref) };
}
