import type { KubeClient } from '../../k8s/client.ts';
import type { DrainPurpose } from '../../k8s/model/drain.ts';
import { DRAIN_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import { DRAINED_FOR_ANNOTATION, type Node } from '../../k8s/model/node.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { NODES } from '../../k8s/resources.ts';
import { onObject } from '../failures.ts';

const OURS = { fieldManager: DRAIN_FIELD_MANAGER } as const;

/** Its answer tells that no scheduler that sees it binds a pod to the Node any more. */
export function cordon(
  kube: KubeClient,
  { metadata: { name, uid } }: Node,
  { kind, namespace, name: machine }: ObjectRef,
  purpose: DrainPurpose,
): Promise<Node> {
  const annotations = { [DRAINED_FOR_ANNOTATION]: `${kind} ${namespace}/${machine}: ${purpose}` };
  const body = { metadata: { uid, annotations }, spec: { unschedulable: true } };
  return onObject(() => kube.apply<Node>(NODES, undefined, name, body, OURS));
}

/**
 * Takes back what {@link cordon} wrote. The API server keeps who wrote a field: where somebody else had cordoned the Node as well,
 * the Node stays cordoned.
 */
export function uncordon(kube: KubeClient, { metadata: { name, uid } }: Node): Promise<Node> {
  return onObject(() => kube.apply<Node>(NODES, undefined, name, { metadata: { uid } }, OURS));
}
