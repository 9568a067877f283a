import { MACHINE_SETS, MACHINES, NAMESPACES, type Resource } from '../../k8s/resources.ts';
import { clusterNames } from './cluster-tree.ts';
import type { Named } from './completion.ts';
import { listObjects } from './find-object.ts';
import type { GlobalOptions } from './global-options.ts';
import { openKube } from './kube-access.ts';
import { readNamespace } from './tree-command.ts';

const RESOURCES: Readonly<Record<Exclude<Named, 'clusters'>, Resource>> = {
  machines: MACHINES,
  machinesets: MACHINE_SETS,
  namespaces: NAMESPACES,
};

/** Names of objects in the namespace that the flags mean, for completion. */
export async function listNames(wanted: Named, options: GlobalOptions, timeoutMs: number): Promise<string[]> {
  const { kube, namespace } = openKube(options, { timeoutMs });
  if (wanted === 'clusters') return clusterNames(await readNamespace(kube, namespace));
  const resource = RESOURCES[wanted];
  const scope = resource.namespaced ? { namespace } : {};
  const objects = await listObjects<{ metadata: { name: string } }>(kube, resource, scope);
  return objects.map(({ metadata }) => metadata.name).sort();
}
