import type { KubeClient } from './client.ts';
import { NAMESPACES } from './resources.ts';

/** What tells one Kubernetes cluster from another: the uid of its kube-system namespace. */
export async function readClusterUid(kube: KubeClient): Promise<string> {
  const namespace = await kube.get<{ metadata: { uid: string } }>(NAMESPACES, undefined, 'kube-system');
  return namespace.metadata.uid;
}
