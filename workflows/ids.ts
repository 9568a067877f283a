import type { ObjectRef } from '../k8s/model/object-ref.ts';

/** Task queue of everything that belongs to one Kubernetes cluster, by the uid of its kube-system namespace. */
export function taskQueueOf(clusterUid: string): string {
  return `millwright-${clusterUid}`;
}

/** `<kind>/<namespace>/<name>/<uid>`: the uid keeps a deleted and re-created object apart. */
export function workflowIdOf(ref: ObjectRef): string {
  return `${ref.kind.toLowerCase()}/${ref.namespace}/${ref.name}/${ref.uid}`;
}

export function inventoryWorkflowId(clusterUid: string): string {
  return `inventory/${clusterUid}`;
}

export function safetyWorkflowId(clusterUid: string): string {
  return `safety/${clusterUid}`;
}
