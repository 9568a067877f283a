import type { KubeClient } from '../client.ts';
import type { Api, ClusterKind, MachineKind, StoredObject } from '../dialects/kind.ts';
import { INSTALL_FIELD_MANAGER } from './api-group.ts';

/** What the name of an object and the value of a label may both be. */
const OBJECT_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;

/**
 * Lets the Machines that are there adopt their instances: makes a Cluster, where there is none, for each cluster that a
 * Machine of the namespace is labelled with. Whoever takes over vouches for them; later a label alone allows nothing.
 */
export async function allowClusters(
  kube: KubeClient,
  { machine, cluster }: Api,
  log: (line: string) => void,
): Promise<void> {
  if (machine !== undefined && cluster !== undefined) await allowEach(kube, machine, cluster, log);
}

async function allowEach(
  kube: KubeClient,
  machine: MachineKind,
  { resource, newCluster }: ClusterKind,
  log: (line: string) => void,
): Promise<void> {
  const [machines, clusters] = await Promise.all([
    kube.list<StoredObject>(machine.resource),
    kube.list<StoredObject>(resource),
  ]);
  const known = new Set(clusters.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const wanted = new Set(
    machines.items.flatMap((stored) => {
      const { ref, clusterName } = machine.read(stored).machine;
      return clusterName === '' ? [] : [`${ref.namespace}/${clusterName}`];
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
    const body = newCluster(namespace, name);
    await kube.apply(resource, namespace, name, body, { fieldManager: INSTALL_FIELD_MANAGER });
    log(`made Cluster ${one}: Machines of namespace ${namespace} may adopt the instances of this cluster`);
  }
}
