import { NAMESPACES } from '../../../../k8s/resources.ts';
import { listObjects } from '../../access/find-object.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { openKube } from '../../access/kube-access.ts';
import { clusterNames } from '../tree/cluster-tree.ts';
import { readNamespace } from '../tree/tree.ts';
import type { Named } from './completion.ts';

/** Names of objects in the namespace that the flags mean, for completion. */
export async function listNames(wanted: Named, options: GlobalOptions, timeoutMs: number): Promise<string[]> {
  const access = openKube(options, { timeoutMs });
  if (wanted === 'clusters') return clusterNames(await readNamespace(access));
  const metadata =
    wanted === 'namespaces'
      ? (await access.kube.list<{ metadata: { name: string } }>(NAMESPACES)).items.map((one) => one.metadata)
      : (await listObjects(access, wanted, access)).map(({ stored }) => stored.metadata);
  return metadata.map(({ name }) => name).sort();
}
