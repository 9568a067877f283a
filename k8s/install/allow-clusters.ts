import type { KubeClient } from '../client.ts';
import { CLUSTER_LABEL } from '../model/labels.ts';
import type { ObjectMeta } from '../object-meta.ts';
import { CLUSTERS, MACHINES } from '../resources.ts';
import { INSTALL_FIELD_MANAGER } from './api-group.ts';

interface Stored {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'labels'>;
}

/** What the name of an object and the value of a label may both be. */
const OBJECT_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;

/**
 * Lets the Machines that are there adopt their instances: makes a Cluster, where there is none, for each cluster that a
 * Machine of the namespace is labelled with. Whoever takes over vouches for them; later a label alone allows nothing.
 */
export async function allowClusters(kube: KubeClient, log: (line: string) => void): Promise<void> {
  const [machines, clusters] = await Promise.all([kube.list<Stored>(MACHINES), kube.list<Stored>(CLUSTERS)]);
  const known = new Set(clusters.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const wanted = new Set(
    machines.items.flatMap(({ metadata }) => {
      const cluster = metadata.labels?.[CLUSTER_LABEL] ?? '';
      return cluster === '' ? [] : [`${metadata.namespace}/${cluster}`];
    }),
  );
  for (const one of [...wanted].filter((each) => !known.has(each)).sort()) {
    const [namespace = '', name = ''] = one.split('/');
    if (!OBJECT_NAME.test(name)) {
      log(
        `Machines of namespace ${namespace} may not adopt from cluster ${name}, which no object can be named: start the worker with --cluster-names ${one}`,
      );
      continue;
    }
    const { apiVersion, kind } = CLUSTERS;
    const body = { apiVersion, kind, metadata: { name, namespace }, spec: {} };
    await kube.apply(CLUSTERS, namespace, name, body, { fieldManager: INSTALL_FIELD_MANAGER });
    log(`made Cluster ${one}: Machines of namespace ${namespace} may adopt the instances of this cluster`);
  }
}
