import type { Kinds, Role } from '../../../../k8s/dialects/kind.ts';
import { listObjects, notFound } from '../../access/find-object.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { openKube, type KubeAccess } from '../../access/kube-access.ts';
import { nearNames } from '../../access/near-names.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { clusterNames, clusterTree, type NamespaceContent } from './cluster-tree.ts';
import { renderTree } from './render-tree.ts';

/** `millwright tree CLUSTER`: every object of a cluster in one namespace, and whether it is ready. */
export async function showTree(name: string, options: GlobalOptions): Promise<void> {
  const access = openKube(options);
  const { namespace } = access;
  const content = await readNamespace(access);
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

export async function readNamespace(access: KubeAccess): Promise<NamespaceContent> {
  const read = async <R extends Role>(role: R): Promise<ReturnType<Kinds[R]['read']>[]> =>
    (await listObjects(access, role, access)).map((found) => found.read);
  const [clusters, classes, deployments, sets, machines] = await Promise.all([
    read('cluster'),
    read('machineClass'),
    read('machineDeployment'),
    read('machineSet'),
    read('machine'),
  ]);
  return { clusters, classes, deployments, sets, machines };
}
