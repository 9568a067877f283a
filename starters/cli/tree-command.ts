import type { ClusterObject } from '../../k8s/api/cluster.ts';
import type { MachineClassObject } from '../../k8s/api/machine-class.ts';
import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import type { MachineObject } from '../../k8s/api/machine.ts';
import type { KubeClient } from '../../k8s/client.ts';
import { CLUSTERS, MACHINE_CLASSES, MACHINE_SETS, MACHINES } from '../../k8s/resources.ts';
import { clusterNames, clusterTree, type NamespaceContent } from './cluster-tree.ts';
import { listObjects, notFound } from './find-object.ts';
import type { GlobalOptions } from './global-options.ts';
import { openKube } from './kube-access.ts';
import { nearNames } from './near-names.ts';
import { isStructure, printStructure } from './print-structure.ts';
import { renderTree } from './render-tree.ts';

/** `millwright tree CLUSTER`: every object of a cluster in one namespace, and whether it is ready. */
export async function showTree(name: string, options: GlobalOptions): Promise<void> {
  const { kube, namespace } = openKube(options);
  const content = await readNamespace(kube, namespace);
  const known = clusterNames(content);
  if (!known.includes(name)) {
    const near = nearNames(name, known);
    const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
    throw notFound(`nothing in namespace ${namespace} belongs to a cluster ${name}${hint}`);
  }
  const tree = clusterTree(name, content);
  const { output } = options;
  if (isStructure(output)) printStructure(tree, output);
  else console.log(renderTree(tree, { now: Date.now(), isWide: output === 'wide' }));
}

export async function readNamespace(kube: KubeClient, namespace: string): Promise<NamespaceContent> {
  const [clusters, classes, sets, machines] = await Promise.all([
    listObjects<ClusterObject>(kube, CLUSTERS, { namespace }),
    listObjects<MachineClassObject>(kube, MACHINE_CLASSES, { namespace }),
    listObjects<MachineSetObject>(kube, MACHINE_SETS, { namespace }),
    listObjects<MachineObject>(kube, MACHINES, { namespace }),
  ]);
  return { clusters, classes, sets, machines };
}
