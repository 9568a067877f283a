import type { KubeClient } from '../../k8s/client.ts';
import { readPod, type Pod, type StoredPod } from '../../k8s/model/pod.ts';
import type { Node } from '../../k8s/model/node.ts';
import { PODS } from '../../k8s/resources.ts';

/** The pods on a Node, as they are now. */
export async function podsOn(kube: KubeClient, { metadata: { name } }: Node): Promise<readonly Pod[]> {
  const { items } = await kube.list<StoredPod>(PODS, { fieldSelector: `spec.nodeName=${name}` });
  return items.map(readPod);
}
