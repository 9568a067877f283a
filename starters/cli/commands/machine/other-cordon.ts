import type { KubeClient } from '../../../../k8s/client.ts';
import { DRAIN_FIELD_MANAGER } from '../../../../k8s/model/field-managers.ts';
import type { NodeRef } from '../../../../k8s/model/machine.ts';
import type { Node } from '../../../../k8s/model/node.ts';
import { writesSpecField, type ObjectMeta } from '../../../../k8s/object-meta.ts';
import { NODES } from '../../../../k8s/resources.ts';

type StoredNode = Node & { readonly metadata: Pick<ObjectMeta, 'managedFields'> };

/** Where the API server's record of who wrote it is lost. */
const SOMEBODY = 'somebody';

/** That somebody else keeps a Node cordoned, in words; undefined: nobody does, or the caller may not read the Node. */
export async function otherCordonOf(kube: KubeClient, nodeRef: NodeRef | undefined): Promise<string | undefined> {
  if (nodeRef === undefined) return undefined;
  let node: StoredNode;
  try {
    node = await kube.get<StoredNode>(NODES, undefined, nodeRef.name);
  } catch {
    return undefined; // A help only: what was asked for is written.
  }
  const others = node.spec?.unschedulable === true ? othersOf(node) : [];
  if (others.length === 0) return undefined;
  const { name } = nodeRef;
  return `Node ${name} stays unschedulable, as ${others.join(' and ')} cordoned it as well; \`kubectl uncordon ${name}\` takes that off`;
}

/** The API server keeps who wrote the field's value last, or the same value as well. */
function othersOf({ metadata: { managedFields = [] } }: StoredNode): string[] {
  const owners = managedFields.filter((written) => writesSpecField(written, 'unschedulable'));
  if (owners.length === 0) return [SOMEBODY];
  const managers = new Set(owners.map(({ manager = SOMEBODY }) => manager));
  managers.delete(DRAIN_FIELD_MANAGER);
  return [...managers];
}
